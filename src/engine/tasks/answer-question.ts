import type { JsonValue } from '../../model/json.ts';
import type { Message } from '../../model/message.ts';
import type { TaskStatus } from '../../model/task.ts';
import type { JournalEntry, JournalRecord, Store, TaskRecord, TaskWrite } from '../../store/store.ts';
import type { EngineContext } from '../engine-context.ts';
import {
  askedIn,
  askingStatus,
  type OpenQuestion,
  openQuestions,
  questionMessage,
  shownQuestion,
  UnansweredQuestions,
  withoutList,
} from '../questions/open-questions.ts';
import { statusEvent } from '../replay/event-body.ts';
import { timeAfter } from '../write/status-time.ts';

/**
 * How often a write is planned for the whole journal. A handler that records one step after another could be faster each time. It runs,
 * so it can be left to show the next question.
 */
const EXACT_TRIES = 10;

/** The open questions of a task, and the journal that they come from. */
export interface TaskQuestions {
  readonly entries: readonly JournalRecord[];
  /** Open as far as the task and its journal, which are read one after the other, agree. */
  readonly shown: OpenQuestion;
  /** All open questions, the shown one first. */
  readonly open: readonly OpenQuestion[];
}

export async function readQuestions(store: Store, record: TaskRecord): Promise<TaskQuestions> {
  const entries = await store.journal(record.id);
  const open = openQuestions(UnansweredQuestions.in(entries), record);
  const entry = entries.findLast(({ kind, key }) => kind === 'question' && key === record.question);
  return { entries, shown: shownQuestion(record, askedIn(entry)), open };
}

/** The end of a question by a caller. */
export interface QuestionEnd {
  readonly question: OpenQuestion;
  /** The entry of the answer. An entry before it comes first. */
  readonly answer: JournalEntry;
  readonly before?: JournalEntry;
  /** The answer for the history. */
  readonly said?: Message;
  /** How often the write was planned before. */
  readonly tries: number;
}

/**
 * Ends a question. If it was shown, the next open one is shown, or the task continues to work. If it was not, the question becomes part
 * of the history with its answer, and the other one stays shown.
 */
export function toQuestionEnd(
  { clock }: EngineContext,
  record: TaskRecord,
  { entries, shown, open }: TaskQuestions,
  { question, answer, before, said, tries }: QuestionEnd,
): TaskWrite {
  const isShown = question.key === shown.key;
  const isExact = tries < EXACT_TRIES;
  const { message } = record.status;
  const asked = isShown ? message && withoutList(message) : questionMessage(record, question);
  const entry = isShown || asked === undefined ? answer : withQuestion(answer, asked);
  const timestamp = timeAfter(record.status, clock.now());
  const [first, ...others] = open.filter(({ key }) => key !== question.key);
  const write: TaskWrite = {
    taskId: record.id,
    guard: { question: shown.key, canceling: false, ...(isExact && { lastJournal: entries.at(-1)?.number ?? 0 }) },
    history: [asked, said].filter((message) => message !== undefined),
    journal: before === undefined ? [entry] : [before, entry],
    wakeAt: clock.now(),
    // The answer goes to the called agent that has asked.
    ...(question.asked.path !== undefined && { callsDue: true }),
  };
  if (!isExact && !isShown) return write;
  if (first === undefined || !isExact)
    return withStatus(record, { ...write, question: null }, { state: 'TASK_STATE_WORKING', timestamp });
  return withStatus(record, { ...write, question: first.key }, askingStatus(record, [first, ...others], timestamp));
}

function withStatus(record: TaskRecord, write: TaskWrite, status: TaskStatus): TaskWrite {
  return { ...write, events: [statusEvent(record, status)], status };
}

/** An answer with its question, which the status of the task has not shown. */
function withQuestion(answer: JournalEntry, asked: Message): JournalEntry {
  return { ...answer, body: { ...(answer.body as object), asked: asked as unknown as JsonValue } };
}
