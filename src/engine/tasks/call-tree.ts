import type { CallRecord, JournalRecord, Store, TaskRecord } from '../../store/store.ts';
import type { CallProgress, CalledEntry, CallEntry, CallQuestionEntry } from '../calls/call-request.ts';
import { requestOf } from '../calls/call-request.ts';
import { textOfParts } from '../../model/part-text.ts';

/** A task with the calls that it has made, and those of its children in the same store. */
export interface CallTree {
  readonly task: TaskRecord;
  readonly calls: readonly TreeCall[];
}

/** A call as an operator sees it, from what its task has recorded. */
export interface TreeCall {
  readonly peer: string;
  /** The outcome of the call; `open` if it has none, `dead` if its child could not be canceled after the end of the task. */
  readonly state: string;
  /** When the call was recorded, in milliseconds since 1970. Undefined if the store no longer knows. */
  readonly at: number | undefined;
  /** The id of the task at the peer. Undefined if it is not known yet, or no longer. */
  readonly taskId: string | undefined;
  /** The open question of the called agent that its caller has not answered. */
  readonly question: string | undefined;
  /** Why the call did not complete. */
  readonly reason: string | undefined;
  /** The child, if it is a task of this store. */
  readonly child: CallTree | undefined;
}

/** The most open calls of one task that are shown. */
const MAX_CALLS = 1000;

/**
 * Reads a task of any owner and its calls. Children in the same store are read too; a task that an agent on another host works on is known
 * by its id only.
 *
 * @returns `undefined` if the store has no such task.
 * @throws TypeError if the store cannot list the tasks of all owners (`allTasks`).
 */
export function callTree(store: Store, taskId: string): Promise<CallTree | undefined> {
  return read(store, taskId, new Set());
}

/** @param seen The tasks in the tree so far. A peer chooses the ids of its tasks, so it could name one of them. */
async function read(store: Store, taskId: string, seen: Set<string>): Promise<CallTree | undefined> {
  seen.add(taskId);
  if (store.allTasks === undefined) throw new TypeError('This store cannot list the tasks of all owners (allTasks)');
  const [task] = await store.allTasks({ taskId, limit: 1 });
  if (task === undefined) return undefined;
  const [entries, rows] = await Promise.all([
    task.lastJournal === 0 ? [] : store.journal(taskId),
    store.listCalls({ taskId, limit: MAX_CALLS }),
  ]);
  const calls: TreeCall[] = [];
  for (const call of callsIn(entries, rows)) {
    const childId = call.taskId !== undefined && seen.has(call.taskId) ? undefined : call.taskId;
    calls.push({ ...call, child: childId === undefined ? undefined : await childTree(store, task, childId, seen) });
  }
  return { task, calls };
}

/** A task with this id is the child only if it belongs to the same owner. */
async function childTree(
  store: Store,
  { owner, tenant }: TaskRecord,
  id: string,
  seen: Set<string>,
): Promise<CallTree | undefined> {
  const tree = await read(store, id, seen);
  return tree?.task.owner === owner && tree.task.tenant === tenant ? tree : undefined;
}

/** The calls of a task: those of its journal, and of the rows that have outlived it. */
function callsIn(entries: readonly JournalRecord[], rows: readonly CallRecord[]): readonly Omit<TreeCall, 'child'>[] {
  const open = new Map(rows.map((row) => [requestOf(row).key, row]));
  const outcomes = new Map(entries.filter(({ kind }) => kind === 'called').map((entry) => [entry.key, entry]));
  const made = entries.filter(({ kind }) => kind === 'call').map((entry) => callOf(entry, open, outcomes, entries));
  const known = new Set(entries.filter(({ kind }) => kind === 'call').map(({ key }) => key));
  return [...made, ...rows.filter((row) => !known.has(requestOf(row).key)).map((row) => rowCall(row, entries))];
}

function callOf(
  { key, body, outline = {} }: JournalRecord,
  open: ReadonlyMap<string, CallRecord>,
  outcomes: ReadonlyMap<string, JournalRecord>,
  entries: readonly JournalRecord[],
): Omit<TreeCall, 'child'> {
  const row = open.get(key);
  if (row !== undefined) return rowCall(row, entries);
  const called = outcomes.get(key);
  const result = (called?.body ?? undefined) as unknown as CalledEntry | undefined;
  const call = (body ?? undefined) as unknown as CallEntry | undefined;
  const { peer, at } = outline;
  const outcome = result?.outcome ?? called?.outline?.['outcome'];
  return {
    peer: call?.peer ?? (typeof peer === 'string' ? peer : '?'),
    state: typeof outcome === 'string' ? outcome : 'ended',
    at: typeof at === 'number' ? at : undefined,
    taskId: result?.state?.kind === 'task' ? result.state.task.id : undefined,
    question: undefined,
    reason: result?.reason,
  };
}

function rowCall(row: CallRecord, entries: readonly JournalRecord[]): Omit<TreeCall, 'child'> {
  const { peer, childId } = requestOf(row);
  return {
    peer,
    state: row.failed === undefined ? 'open' : 'dead',
    at: row.createdAt,
    taskId: childId ?? (row.progress as CallProgress).taskId,
    question: openQuestion(row.id, entries),
    reason: row.failed,
  };
}

function openQuestion(callId: string, entries: readonly JournalRecord[]): string | undefined {
  const closed = new Set(
    entries.filter(({ kind }) => kind === 'answer' || kind === 'call-withdrawn').map(({ key }) => key),
  );
  const asked = entries.findLast(
    ({ kind, key, body }) =>
      kind === 'call-question' && !closed.has(key) && (body as unknown as CallQuestionEntry | null)?.call === callId,
  );
  return (
    asked && textOfParts((asked.body as unknown as CallQuestionEntry).message.parts.filter((part) => 'text' in part))
  );
}
