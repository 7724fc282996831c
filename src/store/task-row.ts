import type { JsonObject, JsonValue } from '../model/json.ts';
import type { Message } from '../model/message.ts';
import { TASK_STATES, type TaskState } from '../model/state.ts';
import type { TaskStatus } from '../model/task.ts';
import type { Writable } from '../support/writable.ts';
import type { TaskRecord } from './store.ts';

/** The columns of a task in the tables of SQLite and PostgreSQL, in the order in which `toRecord` reads them. */
type TaskRow = readonly [
  /** The position among all created tasks. */
  place: number,
  /** The number of the last message of the history. */
  lastMessage: number,
  id: string,
  tenant: string,
  owner: string,
  contextId: string,
  agent: string,
  visible: number | boolean,
  canceling: number | boolean,
  lastEvent: number,
  lastJournal: number,
  fence: number,
  attempts: number,
  node: string | null,
  wakeAt: number | null,
  question: string | null,
  createdAt: number,
  endedAt: number | null,
  pushed: number | boolean,
  fairnessKey: string | null,
  historyBytes: number | null,
  suspectMs: number | null,
  claimedJournal: number | null,
  crashes: number | null,
  openCalls: number | null,
  callId: string | null,
  status: string,
  metadata: string | null,
  origin: string,
];

const BEFORE_NUMBERS = 'last_message id tenant owner context_id agent visible canceling'.split(' ');
const AFTER_NUMBERS = (
  'fence attempts node wake_at question created_at ended_at pushed fairness_key history_bytes suspect_ms claimed_journal ' +
  'crashes open_calls call_id status metadata origin'
).split(' ');

/** The number of columns that `toRecord` reads. The last three are the texts. */
export const RECORD_COLUMN_COUNT = 1 + BEFORE_NUMBERS.length + 2 + AFTER_NUMBERS.length;

/**
 * The list of these columns for a statement.
 *
 * @param place The column with the position of the task.
 * @param lastEvent The number of the last event, as SQL.
 * @param lastJournal The number of the last journal entry, as SQL.
 * @param prefix The prefix of all other columns.
 */
export function recordColumns(place: string, lastEvent: string, lastJournal: string, prefix = ''): string {
  const named = (names: readonly string[]): string => names.map((name) => `${prefix}${name}`).join(', ');
  return `${prefix}${place}, ${named(BEFORE_NUMBERS)}, ${lastEvent}, ${lastJournal}, ${named(AFTER_NUMBERS)}`;
}

/** Decodes the record of a row that begins with these columns. */
export function toRecord(row: readonly unknown[]): TaskRecord {
  const [
    ,
    ,
    id,
    tenant,
    owner,
    contextId,
    agent,
    visible,
    canceling,
    lastEvent,
    lastJournal,
    fence,
    attempts,
    node,
    wakeAt,
    question,
    createdAt,
    endedAt,
    pushed,
    fairnessKey,
    historyBytes,
    suspectMs,
    claimedJournal,
    crashes,
    openCalls,
    callId,
    status,
    metadata,
    origin,
  ] = row as unknown as TaskRow;
  let parsedOrigin: JsonObject | undefined;
  const record: Writable<TaskRecord> = {
    id,
    tenant,
    owner,
    contextId,
    agent,
    status: JSON.parse(status) as TaskStatus,
    // Parsed on demand: only runs use it, and it can be as large as a request.
    get origin() {
      return (parsedOrigin ??= JSON.parse(origin) as JsonObject);
    },
    visible: Boolean(visible),
    lastEvent,
    lastJournal,
    fence,
    attempts,
    canceling: Boolean(canceling),
    createdAt,
  };
  if (pushed === true || pushed === 1) record.pushed = true;
  if (fairnessKey !== null) record.fairnessKey = fairnessKey;
  if (historyBytes !== null) record.historyBytes = historyBytes;
  if (suspectMs !== null) record.suspectMs = suspectMs;
  if (claimedJournal !== null) record.claimedJournal = claimedJournal;
  if (crashes !== null) record.crashes = crashes;
  if (openCalls !== null) record.openCalls = openCalls;
  if (callId !== null) record.callId = callId;
  if (metadata !== null) record.metadata = JSON.parse(metadata) as JsonObject;
  if (node !== null) record.node = node;
  if (wakeAt !== null) record.wakeAt = wakeAt;
  if (question !== null) record.question = JSON.parse(question) as string;
  if (endedAt !== null) record.endedAt = endedAt;
  return record;
}

export function stateNumber(state: TaskState): number {
  return TASK_STATES.indexOf(state);
}

export function json(value: JsonValue | Message | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value);
}
