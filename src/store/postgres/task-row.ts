import type { JsonObject, JsonValue } from '../../model/json.ts';
import { TASK_STATES, type TaskState } from '../../model/state.ts';
import type { Message } from '../../model/message.ts';
import type { TaskStatus } from '../../model/task.ts';
import type { Writable } from '../../support/writable.ts';
import type { TaskRecord } from '../store.ts';
import type { Row, Statement } from './statements.ts';

/** A row of the table of tasks, with members that only the store uses. */
export interface FoundTask {
  readonly record: TaskRecord;
  /** The number of the last message of the history. */
  readonly lastMessage: number;
  /** The position among all created tasks. */
  readonly seq: number;
  /** The id of the transaction that wrote the row (`xmin`). Set only for locked rows. */
  readonly version: string | undefined;
  /** Whether it waits in the claim queue. Set only for rows to write. */
  readonly queued?: boolean;
}

/** In the order of `TaskRow`, with the last numbers of the row, which may be outdated. */
export const TASK_COLUMNS = columnsOf('t.last_event', 't.last_journal');

/** The same columns with the current last numbers. */
export function currentColumns(schema: string): string {
  return columnsOf(currentNumber(schema, 'event'), currentNumber(schema, 'journal'));
}

function columnsOf(lastEvent: string, lastJournal: string): string {
  return `t.seq, t.last_message, t.id, t.tenant, t.owner, t.context_id, t.agent, t.visible, t.canceling,
    ${lastEvent}, ${lastJournal}, t.fence, t.attempts, t.node, t.wake_at, t.question, t.created_at, t.ended_at, t.status,
    t.metadata, t.origin, t.pushed, t.fairness_key, t.history_bytes,
    t.suspect_ms, t.claimed_journal, t.crashes`;
}

/**
 * The current last number. A chunk or a step adds its own row and does not update the row of its task, so the number in that row is
 * outdated until the row changes for another reason. The end of a task is such a reason, so the numbers of ended tasks are final.
 */
function currentNumber(schema: string, table: 'event' | 'journal'): string {
  const column = `t.last_${table}`;
  const last = `(SELECT max(number) FROM ${schema}.${table} WHERE task_id = t.id)`;
  return `CASE WHEN t.ended_at IS NULL THEN greatest(${column}, ${last}) ELSE ${column} END`;
}

/**
 * Reads the last numbers of tasks whose rows are locked. It must be a statement after the lock: a statement that waited for a lock
 * sees the new version of the locked row, but not other rows that were inserted meanwhile.
 */
export function lastNumbers(schema: string, taskIds: readonly string[]): Statement {
  const last = (table: string): string => `(SELECT max(number) FROM ${schema}.${table} WHERE task_id = v.id)`;
  return {
    name: 'last numbers',
    text: `SELECT v.id, ${last('event')}, ${last('journal')} FROM unnest($1::text[]) AS v(id)`,
    values: [taskIds],
  };
}

/** Sets the current last numbers of rows. */
export function withNumbers(found: readonly FoundTask[], numbers: readonly Row[]): readonly FoundTask[] {
  const byId = new Map(numbers.map((row) => [row[0], row]));
  for (const { record } of found) {
    const [, lastEvent, lastJournal] = byId.get(record.id) ?? [];
    const draft = record as Writable<TaskRecord>;
    draft.lastEvent = Math.max(record.lastEvent, Number(lastEvent ?? 0));
    draft.lastJournal = Math.max(record.lastJournal, Number(lastJournal ?? 0));
  }
  return found;
}

export const TASK_COLUMN_COUNT = TASK_COLUMNS.split(',').length;

type TaskRow = readonly [
  seq: number,
  lastMessage: number,
  id: string,
  tenant: string,
  owner: string,
  contextId: string,
  agent: string,
  visible: boolean,
  canceling: boolean,
  lastEvent: number,
  lastJournal: number,
  fence: number,
  attempts: number,
  node: string | null,
  wakeAt: number | null,
  question: string | null,
  createdAt: number,
  endedAt: number | null,
  status: string,
  metadata: string | null,
  origin: string,
  pushed: boolean,
  fairnessKey: string | null,
  historyBytes: number | null,
  suspectMs: number | null,
  claimedJournal: number | null,
  crashes: number | null,
];

export function toFound(row: readonly unknown[]): FoundTask {
  const [
    seq,
    lastMessage,
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
    status,
    metadata,
    origin,
    pushed,
    fairnessKey,
    historyBytes,
    suspectMs,
    claimedJournal,
    crashes,
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
    visible,
    lastEvent,
    lastJournal,
    fence,
    attempts,
    canceling,
    createdAt,
  };
  if (pushed) record.pushed = true;
  if (fairnessKey !== null) record.fairnessKey = fairnessKey;
  if (historyBytes !== null) record.historyBytes = historyBytes;
  if (suspectMs !== null) record.suspectMs = suspectMs;
  if (claimedJournal !== null) record.claimedJournal = claimedJournal;
  if (crashes !== null) record.crashes = crashes;
  if (metadata !== null) record.metadata = JSON.parse(metadata) as JsonObject;
  if (node !== null) record.node = node;
  if (wakeAt !== null) record.wakeAt = wakeAt;
  if (question !== null) record.question = JSON.parse(question) as string;
  if (endedAt !== null) record.endedAt = endedAt;
  return { record, lastMessage, seq, version: undefined };
}

/** Decodes a locked row, whose last column is its version. */
export function toLocked(row: Row): FoundTask {
  const { record, lastMessage, seq } = toFound(row);
  return { record, lastMessage, seq, version: String(row[TASK_COLUMN_COUNT]) };
}

export function stateNumber(state: TaskState): number {
  return TASK_STATES.indexOf(state);
}

export function json(value: JsonValue | Message | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value);
}
