/** The questions of a task that wait for an answer. Their journal entries say which; the first one is shown as the status of the task. */
import type { JsonObject } from '../../model/json.ts';
import type { Message } from '../../model/message.ts';
import type { Part } from '../../model/part.ts';
import { textOfParts } from '../../model/part-text.ts';
import { QUESTIONS, SENSITIVE } from '../../model/question.ts';
import type { TaskStatus } from '../../model/task.ts';
import type { JournalRecord, TaskRecord } from '../../store/store.ts';
import { isRecord } from '../../support/json/to-json.ts';
import type { AskedQuestion, QuestionState } from './question.ts';

/** The maximum number of questions in the metadata of a status. The others are listed when these have ended. */
const MAX_LISTED = 20;

/** A question that waits for an answer, with everything that is needed to show it. */
export interface OpenQuestion {
  /** The key of its journal entry. */
  readonly key: string;
  /** The id for callers: that of the message that shows it. */
  readonly id: string;
  readonly state: QuestionState;
  readonly parts: readonly Part[];
  readonly asked: AskedQuestion;
}

/** The questions of a turn without an answer, as its journal entries are added one by one. */
export class UnansweredQuestions implements Iterable<JournalRecord> {
  readonly #entries = new Map<string, JournalRecord>();

  /** Returns those of the last turn in a whole journal. */
  static in(entries: readonly JournalRecord[]): UnansweredQuestions {
    const unanswered = new UnansweredQuestions();
    for (const entry of entries) unanswered.add(entry);
    return unanswered;
  }

  get size(): number {
    return this.#entries.size;
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  add(entry: JournalRecord): void {
    const { kind, key, number } = entry;
    if (kind === 'turn') this.#entries.clear();
    else if (kind === 'question') {
      // A question that is asked again after it was withdrawn is the latest one.
      this.#entries.delete(key);
      this.#entries.set(key, entry);
    } else if (kind === 'answer' || kind === 'withdrawn') {
      if ((this.#entries.get(key)?.number ?? number) < number) this.#entries.delete(key);
    }
  }

  /** The oldest first. */
  [Symbol.iterator](): Iterator<JournalRecord> {
    return this.#entries.values();
  }
}

/** The question of an entry; any text if there is no entry, or no value because the task has ended. */
export function askedIn(entry: JournalRecord | undefined): AskedQuestion {
  return (entry?.body ?? { gives: 'text', sensitive: false, expiresAt: 0 }) as unknown as AskedQuestion;
}

/**
 * The open questions, the shown one first. A question that is not shown and was recorded without its parts is left out, unless the
 * run knows it: another version ended the question that was shown, and only the run can show it again.
 */
export function openQuestions(
  unanswered: Iterable<JournalRecord>,
  record: TaskRecord,
  knownToRun?: (key: string) => OpenQuestion | undefined,
): readonly OpenQuestion[] {
  const open: OpenQuestion[] = [];
  for (const entry of unanswered) {
    const { key } = entry;
    const asked = askedIn(entry);
    if (key === record.question) {
      open.unshift(shownQuestion(record, asked));
      continue;
    }
    const hidden = asked.parts === undefined ? knownToRun?.(key) : hiddenQuestion(key, asked, asked.parts);
    if (hidden !== undefined) open.push(hidden);
  }
  return open;
}

/** The question that the status of a task asks. */
export function shownQuestion({ question: key = '', status }: TaskRecord, asked: AskedQuestion): OpenQuestion {
  const { messageId = asked.id ?? '', parts = [] } = status.message ?? {};
  return { key, id: messageId, state: status.state as QuestionState, parts, asked };
}

/** A question that is not shown yet. */
export function hiddenQuestion(key: string, asked: AskedQuestion, parts: readonly Part[]): OpenQuestion {
  const { id = '', state = 'TASK_STATE_INPUT_REQUIRED' } = asked;
  return { key, id, state, parts, asked };
}

/** The entry of a question. Its parts are recorded only if the status of the task does not have them. */
export function questionBody({ asked, parts }: OpenQuestion, isShown: boolean): AskedQuestion {
  return isShown ? asked : { ...asked, parts };
}

/** The message that shows a question. If the answer is sensitive, its metadata asks clients to hide the input. */
export function questionMessage(
  { id: taskId, contextId }: Pick<TaskRecord, 'id' | 'contextId'>,
  { id: messageId, state, parts, asked }: OpenQuestion,
): Message {
  const message: Message = { messageId, taskId, contextId, role: 'ROLE_AGENT', parts };
  const isMarked = asked.sensitive && state === 'TASK_STATE_INPUT_REQUIRED';
  return isMarked ? { ...message, metadata: { [SENSITIVE]: true } } : message;
}

/**
 * The status that asks the first question. It lists all of them, unless it is the only one, was not preceded by another one, and
 * comes from the task itself.
 */
export function askingStatus(
  record: TaskRecord,
  open: readonly [OpenQuestion, ...OpenQuestion[]],
  timestamp: string,
): TaskStatus {
  const [first, ...others] = open;
  const message = questionMessage(record, first);
  const isListed = others.length > 0 || first.asked.path !== undefined || record.question !== undefined;
  if (!isListed) return { state: first.state, message, timestamp };
  const metadata = { ...message.metadata, [QUESTIONS.uri]: listOf(open) };
  return { state: first.state, message: { ...message, metadata }, timestamp };
}

/** A question for the history, which does not list the questions that were open with it. */
export function withoutList(message: Message): Message {
  const { metadata, ...rest } = message;
  if (metadata === undefined || !Object.hasOwn(metadata, QUESTIONS.uri)) return message;
  const { [QUESTIONS.uri]: _, ...others } = metadata;
  return Object.keys(others).length === 0 ? rest : { ...rest, metadata: others };
}

/** Whether a status lists these questions. */
export function listsAll({ message }: TaskStatus, open: readonly OpenQuestion[]): boolean {
  const list = message?.metadata?.[QUESTIONS.uri];
  const listed = isRecord(list) && Array.isArray(list['questions']) ? (list['questions'] as { id?: unknown }[]) : [];
  if (listed.length === 0) return open.length <= 1;
  const ids = open.slice(0, MAX_LISTED).map(({ id }) => id);
  return ids.length === listed.length && listed.every(({ id }, i) => id === ids[i]);
}

function listOf(open: readonly OpenQuestion[]): JsonObject {
  const questions = open.slice(0, MAX_LISTED).map(listed);
  return open.length > MAX_LISTED ? { questions, more: open.length - MAX_LISTED } : { questions };
}

/** A question in the metadata of a status, without undefined members. */
function listed({ id, state, parts, asked }: OpenQuestion): JsonObject {
  const data = dataIn(parts);
  const { text = textOfParts(parts.filter((part) => 'text' in part)), options } = data;
  const { schema, sensitive, path = [], expiresAt } = asked;
  const kind = state === 'TASK_STATE_AUTH_REQUIRED' ? 'auth-required' : (data['kind'] ?? kindOf(asked));
  return {
    id,
    path,
    kind,
    text,
    ...(options !== undefined && { options }),
    ...(schema !== undefined && { schema }),
    ...(sensitive && { sensitive }),
    expiresAt: new Date(expiresAt).toISOString(),
  };
}

function kindOf({ schema }: AskedQuestion): string {
  if (schema === undefined) return 'text';
  return Object.keys(schema.properties ?? {}).length > 0 ? 'form' : 'value';
}

/** The description of a question for programs. */
function dataIn(parts: readonly Part[]): JsonObject {
  for (const part of parts) {
    const question = 'data' in part && isRecord(part.data) ? part.data['question'] : undefined;
    if (isRecord(question)) return question;
  }
  return {};
}

/** When the shown question replaced another one; `undefined` if no other question was shown when it was asked. */
export function shownSince(entries: readonly JournalRecord[], key: string): number | undefined {
  const asked = entries.findLast((entry) => entry.kind === 'question' && entry.key === key);
  if (asked === undefined) return undefined;
  const older = new Set<string>();
  let since: number | undefined;
  for (const { kind, key: other, number, outline } of entries) {
    if (kind === 'turn') older.clear();
    else if (kind === 'question' && number < asked.number) older.add(other);
    else if ((kind === 'answer' || kind === 'withdrawn') && number > asked.number && older.has(other))
      since = Math.max(since ?? 0, Number(outline?.['at'] ?? 0));
  }
  return since;
}
