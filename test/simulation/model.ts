import type { Guard, Lease, NewTask, TaskRecord, TaskWrite } from '../../src/store/store.ts';
import { brokenRule } from './model-rules.ts';
import { isTerminalState, type TaskModel } from './model-task.ts';

/** An operation on a task. `isHeld`: a living node holds the task. */
export type Operation =
  | { readonly kind: 'append'; readonly write: TaskWrite; readonly isHeld: boolean }
  | { readonly kind: 'claim'; readonly node: string; readonly now: number; readonly isHeld: boolean }
  | { readonly kind: 'drop'; readonly lease: Lease };

/** The required result of an operation. */
export type Verdict =
  /** It is done; `task` is undefined if it was dropped. */
  | { readonly kind: 'done'; readonly task: TaskModel | undefined }
  /** The store must reject it; an engine may try. */
  | { readonly kind: 'rejected' }
  /** An engine must not try it in this state. */
  | { readonly kind: 'illegal'; readonly why: string };

const REFUSED: Verdict = { kind: 'rejected' };

export function created(task: NewTask): TaskModel {
  const { id, owner, agent, status, event, message, node, wakeAt } = task;
  return {
    id,
    owner,
    agent,
    status,
    node,
    wakeAt,
    firstStatus: status,
    isVisible: event !== undefined,
    isCanceling: false,
    hasEnded: false,
    question: undefined,
    log: event === undefined ? [] : [event],
    journal: [],
    history: [message],
    fence: node === undefined ? 0 : 1,
    attempts: node === undefined ? 0 : 1,
    isSuspect: false,
    claimedJournal: 0,
    crashes: 0,
  };
}

/** The one state machine, a pure function. */
export function reduce(task: TaskModel, operation: Operation): Verdict {
  if (task.hasEnded) return REFUSED;
  switch (operation.kind) {
    case 'append':
      return append(task, operation.write, operation.isHeld);
    case 'claim': {
      const { node, now, isHeld } = operation;
      if (isHeld || task.wakeAt === undefined || task.wakeAt > now) return REFUSED;
      const { fence, attempts, journal } = task;
      const claimed = { ...task, node, fence: fence + 1, attempts: attempts + 1, claimedJournal: journal.length };
      return { kind: 'done', task: claimed };
    }
    case 'drop':
      if (task.isVisible || !isLease(task, operation.lease)) return REFUSED;
      if (task.isCanceling) return { kind: 'illegal', why: 'a task that is being canceled is dropped' };
      return { kind: 'done', task: undefined };
  }
}

/** The tasks of a node that has died, once another node has found them. */
export function freed(tasks: readonly TaskModel[], now: number): readonly TaskModel[] {
  const hadSuspect = tasks.some(({ isSuspect }) => isSuspect);
  return tasks.map((task) => {
    const { isSuspect, attempts, journal, claimedJournal, crashes, wakeAt = now } = task;
    const free = { ...task, node: undefined, isSuspect: true, wakeAt: Math.min(wakeAt, now) };
    if (hadSuspect && !isSuspect) return { ...free, attempts: Math.max(0, attempts - 1) };
    return journal.length > claimedJournal ? { ...free, attempts: 0, crashes: crashes + 1 } : free;
  });
}

function append(task: TaskModel, write: TaskWrite, isHeld: boolean): Verdict {
  if (!holds(write.guard, task, isHeld)) return REFUSED;
  const after = appended(task, write);
  const why = brokenRule({ before: task, write, after, isHeld });
  return why === undefined ? { kind: 'done', task: after } : { kind: 'illegal', why };
}

function holds(
  { lease, states, idle, question, canceling, lastEvent, lastJournal }: Guard,
  task: TaskModel,
  isHeld: boolean,
): boolean {
  if (lease !== undefined && !isLease(task, lease)) return false;
  if (states !== undefined && !states.includes(task.status.state)) return false;
  if (idle === true && isHeld) return false;
  if (question !== undefined && question !== task.question) return false;
  if (lastEvent !== undefined && lastEvent !== task.log.length) return false;
  if (lastJournal !== undefined && lastJournal !== task.journal.length) return false;
  return canceling === undefined || canceling === task.isCanceling;
}

function isLease({ node, fence }: TaskModel, lease: Lease): boolean {
  return lease.node === node && lease.fence === fence;
}

function appended(task: TaskModel, write: TaskWrite): TaskModel {
  const { events = [], journal = [], history = [], status = task.status } = write;
  const hasEnded = isTerminalState(status.state);
  const isFree = hasEnded || write.release === true || write.revoke === true;
  return {
    ...task,
    status,
    hasEnded,
    isVisible: task.isVisible || write.visible === true,
    isCanceling: task.isCanceling || write.canceling === true,
    question: hasEnded || write.question === null ? undefined : (write.question ?? task.question),
    log: [...task.log, ...events],
    journal: [...task.journal, ...journal],
    history: [...task.history, ...history],
    fence: task.fence + (write.revoke === true ? 1 : 0),
    node: isFree ? undefined : task.node,
    attempts: write.release === true ? 0 : Math.max(0, task.attempts - (write.uncounted === true ? 1 : 0)),
    wakeAt: hasEnded || write.wakeAt === null ? undefined : (write.wakeAt ?? task.wakeAt),
    isSuspect: task.isSuspect && !hasEnded && !isHarmless(write),
  };
}

/** Whether a write clears a suspect: its run makes progress or pauses, or the write clears it. */
function isHarmless({ release, cleared, journal = [], guard }: TaskWrite): boolean {
  return release === true || cleared === true || (guard.lease !== undefined && journal.length > 0);
}

/** The difference between the record of a store and the model, if any. */
export function difference(task: TaskModel, record: TaskRecord): string | undefined {
  const pairs: Readonly<Record<string, readonly [unknown, unknown]>> = {
    state: [task.status.state, record.status.state],
    visible: [task.isVisible, record.visible],
    canceling: [task.isCanceling, record.canceling],
    question: [task.question, record.question],
    lastEvent: [task.log.length, record.lastEvent],
    lastJournal: [task.journal.length, record.lastJournal],
    fence: [task.fence, record.fence],
    node: [task.node, record.node],
    attempts: [task.attempts, record.attempts],
    suspect: [task.isSuspect, record.suspectMs !== undefined],
    crashes: [task.crashes, record.crashes ?? 0],
    wakeAt: [task.wakeAt, record.wakeAt],
    ended: [task.hasEnded, record.endedAt !== undefined],
  };
  const wrong = Object.entries(pairs).find(([, [expected, actual]]) => expected !== actual);
  return wrong && `${wrong[0]} must be ${String(wrong[1][0])}, is ${String(wrong[1][1])}`;
}
