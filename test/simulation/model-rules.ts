import { isDeepStrictEqual } from 'node:util';
import type { Artifact } from '../../src/model/artifact.ts';
import type { JsonValue } from '../../src/model/json.ts';
import type { Message } from '../../src/model/message.ts';
import { QUESTIONS } from '../../src/model/question.ts';
import type { JournalEntry, TaskWrite } from '../../src/store/store.ts';
import { foldArtifacts, isPausedState, isTerminalState, statusesOf, type TaskModel } from './model-task.ts';

/** A write whose guard holds, with the task before and after it. */
export interface Change {
  readonly before: TaskModel;
  readonly write: TaskWrite;
  readonly after: TaskModel;
  /** A living node has the task. */
  readonly isHeld: boolean;
}

/** Kinds of journal entries that only a run writes. */
const OF_RUNS: ReadonlySet<string> = new Set([
  'step',
  'correction',
  'question',
  'withdrawn',
  'sleep',
  'read',
  'call',
  'called',
]);
/** Kinds of journal entries that come with a message of the caller. */
const OF_CALLERS: ReadonlySet<string> = new Set(['message', 'turn', 'answer']);
const ONCE_PER_TURN: ReadonlySet<string> = new Set(['step', 'correction', 'question', 'answer', 'sleep', 'read']);

/** The rules for every write, by the text that a violation reports. */
const RULES: Readonly<Record<string, (change: Change) => boolean>> = {
  'the first event is the task, and no other event is': ({ before, write }) =>
    (write.events ?? []).every(({ kind }, i) => (kind === 'task') === (before.log.length + i === 0)),

  'a task is visible from its first event on': ({ after }) => after.log.length === 0 || after.isVisible,

  'the status is that of the last status event': ({ write }) =>
    isDeepStrictEqual(statusesOf(write.events ?? []).at(-1), write.status),

  'no status returns to submitted, and none follows the end': ({ write }) => {
    const states = statusesOf(write.events ?? []).map(({ state }) => state);
    return !states.includes('TASK_STATE_SUBMITTED') && !states.slice(0, -1).some(isTerminalState);
  },

  'a status is never older than the one before': ({ before, write }) => {
    const times = [before.status, ...statusesOf(write.events ?? [])].map(({ timestamp = '' }) => timestamp);
    return times.every((time, i) => i === 0 || time >= (times[i - 1] ?? ''));
  },

  'with the intent to cancel a task does not pause and ends only as canceled': ({ before, write }) => {
    const state = write.status?.state;
    if (!before.isCanceling || state === undefined) return true;
    return !isPausedState(state) && (!isTerminalState(state) || state === 'TASK_STATE_CANCELED');
  },

  'a task is canceled only with the intent to cancel': ({ after }) =>
    after.status.state !== 'TASK_STATE_CANCELED' || after.isCanceling,

  'a task ends exactly when its status is terminal': ({ write, after }) =>
    after.hasEnded === (write.endedAt !== undefined),

  'the node that ends a task holds it, or no node holds it': ({ write, after, isHeld }) =>
    !after.hasEnded || write.guard.lease !== undefined || (!isHeld && after.isCanceling),

  'only the holder of the lease writes for a run': ({ write }) =>
    write.guard.lease !== undefined || !isWorkOfRun(write),

  'a lease is revoked only by its holder or by a cancel': ({ before, write }) =>
    write.revoke !== true || before.isCanceling || write.guard.lease !== undefined,

  'a question is open exactly while the task is paused': ({ after }) =>
    (after.question !== undefined) === isPausedState(after.status.state),

  'a question is answered once, and only while it is open': ({ before, write }) => {
    const answers = (write.journal ?? []).filter(({ kind }) => kind === 'answer' || kind === 'turn');
    const open = [...openQuestions(before), before.question];
    return answers.length <= 1 && answers.every(({ key }) => open.includes(key));
  },

  'the oldest open question is shown': ({ after }) => {
    if (after.question === undefined || after.question.startsWith('turn ')) return true;
    const [oldest = after.question] = openQuestions(after);
    return oldest === after.question;
  },

  'turns are counted without a gap': ({ before, write }) => {
    const count = before.journal.filter(({ kind }) => kind === 'turn').length;
    return (write.journal ?? []).every(({ kind, key }) => kind !== 'turn' || key === `turn ${count + 1}`);
  },

  'no key is recorded twice in a turn': ({ before, write }) => {
    const start = before.journal.findLastIndex(({ kind }) => kind === 'turn') + 1;
    const entries = [...before.journal.slice(start), ...(write.journal ?? [])];
    // A question that was withdrawn may be asked again.
    const attempt = ({ kind, key }: JournalEntry, i: number): number =>
      kind !== 'question' ? 0 : entries.slice(0, i).filter((one) => one.kind === 'withdrawn' && one.key === key).length;
    const names = entries
      .map((entry, i) => ({ kind: entry.kind, name: `${entry.kind} ${entry.key} ${attempt(entry, i)}` }))
      .filter(({ kind }) => ONCE_PER_TURN.has(kind))
      .map(({ name }) => name);
    return new Set(names).size === names.length;
  },

  'a replaced status message enters the history, in order': ({ before, write }) => {
    const messages = [before.status, ...statusesOf(write.events ?? [])].map(({ message }) => message);
    // The same message with another list of open questions is not replaced.
    const replaced = messages
      .slice(0, -1)
      .filter((message, i) => message !== undefined && message.messageId !== messages[i + 1]?.messageId)
      .map((message) => message && withoutList(message));
    // A question that was answered before it was shown comes with its answer.
    const hidden = (write.journal ?? []).flatMap(({ kind, body }) =>
      kind === 'answer' ? ((body as { readonly asked?: JsonValue }).asked ?? []) : [],
    );
    const added = (write.history ?? []).filter(({ role }) => role === 'ROLE_AGENT');
    return isDeepStrictEqual(added, [...replaced, ...hidden]);
  },

  'a message of the caller enters history and journal together': ({ write }) => {
    const added = (write.history ?? []).filter(({ role }) => role === 'ROLE_USER');
    return added.length === (write.journal ?? []).filter(isOfCaller).length;
  },

  'no message enters the history twice': ({ after }) =>
    new Set(after.history.map(({ messageId }) => messageId)).size === after.history.length,

  'a snapshot is the fold of all events': ({ write, after }) => {
    const artifacts = foldArtifacts(after.log);
    if (write.artifacts === undefined) return !after.hasEnded || artifacts.length === 0;
    return isDeepStrictEqual(JSON.parse(write.artifacts) as Artifact[], artifacts);
  },

  'a task that no node holds has a wake time': ({ after }) =>
    after.hasEnded || after.node !== undefined || after.wakeAt !== undefined,
};

/** The first rule that a change breaks. */
export function brokenRule(change: Change): string | undefined {
  return Object.entries(RULES).find(([, holds]) => !holds(change))?.[0];
}

/** The keys of the questions of this turn without an answer, the oldest first. */
function openQuestions({ journal }: TaskModel): readonly string[] {
  const open: string[] = [];
  for (const { kind, key } of journal) {
    if (kind === 'turn') open.length = 0;
    else if (kind === 'question') open.push(key);
    else if ((kind === 'answer' || kind === 'withdrawn') && open.includes(key)) open.splice(open.indexOf(key), 1);
  }
  return open;
}

function isWorkOfRun({ events = [], journal = [], status, release, question }: TaskWrite): boolean {
  if (release === true || events.some(({ kind }) => kind === 'artifact')) return true;
  // The answer to a question shows the next one.
  const isAnswer = typeof question === 'string' && journal.some(({ kind }) => kind === 'answer');
  if (!isAnswer && status !== undefined && (status.message !== undefined || isPausedState(status.state))) return true;
  return journal.some((entry) => OF_RUNS.has(entry.kind) || isExpiry(entry));
}

function isOfCaller(entry: JournalEntry): boolean {
  return OF_CALLERS.has(entry.kind) && !isExpiry(entry);
}

function isExpiry({ kind, body }: JournalEntry): boolean {
  return kind === 'answer' && (body as { readonly [key: string]: JsonValue })['expired'] === true;
}

/** A question enters the history without the list of the questions that were open with it. */
function withoutList({ metadata = {}, ...message }: Message): Message {
  const { [QUESTIONS.uri]: _, ...others } = metadata;
  return Object.keys(others).length === 0 ? message : { ...message, metadata: others };
}
