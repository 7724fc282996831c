import type { Message } from '../model/message.ts';
import { isTerminal } from '../model/state.ts';
import { jsonSize } from '../support/json/json-size.ts';
import type { Writable } from '../support/writable.ts';
import type { Guard, NewTask, TaskRecord, TaskWrite } from './store.ts';

type Draft = Writable<TaskRecord>;

/** Whether the guard of a write holds, except for `Guard.call`, which needs the calls of the task. */
export function guardHolds(guard: Guard, task: TaskRecord, isHeld: boolean): boolean {
  const { lease, states, idle, question, canceling, lastEvent, lastJournal, maxHistoryBytes } = guard;
  if (isTerminal(task.status.state)) return false;
  if (lease !== undefined && (lease.node !== task.node || lease.fence !== task.fence)) return false;
  if (states !== undefined && !states.includes(task.status.state)) return false;
  if (idle === true && isHeld) return false;
  if (question !== undefined && question !== task.question) return false;
  if (lastEvent !== undefined && lastEvent !== task.lastEvent) return false;
  if (lastJournal !== undefined && lastJournal !== task.lastJournal) return false;
  if (maxHistoryBytes !== undefined && (task.historyBytes ?? 0) > maxHistoryBytes) return false;
  return canceling === undefined || canceling === task.canceling;
}

/** The record of a newly created task. */
export function newRecord(task: NewTask): TaskRecord {
  const isRun = Number(task.node !== undefined);
  const isVisible = task.event !== undefined;
  const record: Draft = {
    id: task.id,
    tenant: task.tenant,
    owner: task.owner,
    contextId: task.contextId,
    agent: task.agent,
    status: task.status,
    origin: task.origin,
    visible: isVisible,
    lastEvent: Number(isVisible),
    lastJournal: 0,
    fence: isRun,
    attempts: isRun,
    canceling: false,
    createdAt: task.createdAt,
    wakeAt: task.wakeAt,
    historyBytes: task.historyBytes ?? jsonSize(task.message),
  };
  if (task.fairnessKey !== undefined) record.fairnessKey = task.fairnessKey;
  if (task.metadata !== undefined) record.metadata = task.metadata;
  if (task.node !== undefined) record.node = task.node;
  if (task.pushConfig !== undefined) record.pushed = true;
  if (task.callId !== undefined) record.callId = task.callId;
  return record;
}

/** The record of a task after its first push config was added or its last one deleted. */
export function withPushed(task: TaskRecord, pushed: boolean): TaskRecord {
  const { pushed: _, ...record } = task;
  return pushed ? { ...record, pushed } : record;
}

/** The record of a task after one of its calls was removed or given up. */
export function withoutOpenCall(task: TaskRecord): TaskRecord {
  const { openCalls = 1, ...record } = task;
  return openCalls > 1 ? { ...record, openCalls: openCalls - 1 } : record;
}

/** Whether a task waits in the queue: it is due, no node is in its row, and it is not a suspect. */
export function isQueued({ node, wakeAt, suspectMs }: TaskRecord, now: number): boolean {
  return node === undefined && suspectMs === undefined && wakeAt !== undefined && wakeAt <= now;
}

/** Whether only the last numbers differ, as after most writes: a step or a chunk. */
export function isSameButNumbers(before: TaskRecord, after: TaskRecord): boolean {
  return (
    after.endedAt === before.endedAt &&
    after.status === before.status &&
    after.metadata === before.metadata &&
    after.visible === before.visible &&
    after.canceling === before.canceling &&
    after.fence === before.fence &&
    after.attempts === before.attempts &&
    after.suspectMs === before.suspectMs &&
    after.crashes === before.crashes &&
    after.claimedJournal === before.claimedJournal &&
    after.node === before.node &&
    after.wakeAt === before.wakeAt &&
    after.question === before.question &&
    after.pushed === before.pushed &&
    after.historyBytes === before.historyBytes &&
    after.openCalls === before.openCalls
  );
}

/** The record of a task after a write whose guard holds. @param endedCalls The number of open calls that the write removes. */
export function recordAfter(task: TaskRecord, write: TaskWrite, endedCalls = 0): TaskRecord {
  const ends = write.endedAt !== undefined;
  const frees = ends || write.release === true || write.revoke === true;
  const after = lasting(task);
  if (write.visible === true) after.visible = true;
  if (write.canceling === true) after.canceling = true;
  if (write.events !== undefined) after.lastEvent += write.events.length;
  if (write.journal !== undefined) after.lastJournal += write.journal.length;
  if (after.historyBytes !== undefined) after.historyBytes += write.historyBytes ?? sizeOf(write.history);
  if (write.revoke === true) after.fence += 1;
  if (write.release === true) after.attempts = 0;
  else if (write.uncounted === true && after.attempts > 0) after.attempts -= 1;
  if (write.status !== undefined) after.status = write.status;
  if (write.metadata !== undefined) after.metadata = write.metadata;
  setFleeting(after, {
    node: frees ? undefined : task.node,
    wakeAt: ends || write.wakeAt === null ? undefined : (write.wakeAt ?? task.wakeAt),
    question: ends || write.question === null ? undefined : (write.question ?? task.question),
  });
  if (task.suspectMs !== undefined && !ends && !isCleared(write)) after.suspectMs = task.suspectMs;
  if (write.endedAt !== undefined) after.endedAt = write.endedAt;
  if (write.pushConfig !== undefined) after.pushed = true;
  const openCalls = (task.openCalls ?? 0) + (write.calls?.length ?? 0) - endedCalls;
  if (openCalls > 0) after.openCalls = openCalls;
  return after;
}

/** Whether a write ends the suspicion: the run made progress or paused. */
function isCleared({ cleared, release, journal, guard }: TaskWrite): boolean {
  if (cleared === true || release === true) return true;
  return guard.lease !== undefined && journal !== undefined && journal.length > 0;
}

/** Copies the members that a task keeps until its end. Lists them one by one, because a spread of so many members is slow. */
function lasting(task: TaskRecord): Draft {
  const { id, tenant, owner, contextId, agent, status, origin, visible } = task;
  const { lastEvent, lastJournal, fence, attempts, canceling, createdAt } = task;
  const copy: Draft = {
    id,
    tenant,
    owner,
    contextId,
    agent,
    status,
    origin,
    visible,
    lastEvent,
    lastJournal,
    fence,
    attempts,
    canceling,
    createdAt,
  };
  if (task.fairnessKey !== undefined) copy.fairnessKey = task.fairnessKey;
  if (task.metadata !== undefined) copy.metadata = task.metadata;
  if (task.endedAt !== undefined) copy.endedAt = task.endedAt;
  if (task.pushed === true) copy.pushed = true;
  if (task.historyBytes !== undefined) copy.historyBytes = task.historyBytes;
  if (task.claimedJournal !== undefined) copy.claimedJournal = task.claimedJournal;
  if (task.crashes !== undefined) copy.crashes = task.crashes;
  if (task.callId !== undefined) copy.callId = task.callId;
  return copy;
}

function sizeOf(history: readonly Message[] = []): number {
  let size = 0;
  for (const message of history) size += jsonSize(message);
  return size;
}

type Fleeting = { readonly [K in 'node' | 'wakeAt' | 'question']: TaskRecord[K] | undefined };

function setFleeting(record: Draft, { node, wakeAt, question }: Fleeting): void {
  if (node !== undefined) record.node = node;
  if (wakeAt !== undefined) record.wakeAt = wakeAt;
  if (question !== undefined) record.question = question;
}

let lastTimestamp: string | undefined;
let lastTime = 0;

/** The time by which lists are sorted. Cached, because many tasks have the same timestamp and parsing it takes 0.5 µs. */
export function statusTime({ status, createdAt }: Pick<TaskRecord, 'status' | 'createdAt'>): number {
  const { timestamp } = status;
  if (timestamp === undefined) return createdAt;
  if (timestamp !== lastTimestamp) {
    lastTime = Date.parse(timestamp);
    lastTimestamp = timestamp;
  }
  return lastTime;
}
