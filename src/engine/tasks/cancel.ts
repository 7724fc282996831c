import { A2AError } from '../../errors.ts';
import { isTerminal } from '../../model/state.ts';
import type { TaskStatus } from '../../model/task.ts';
import type { TaskRecord, TaskWrite } from '../../store/store.ts';
import type { EngineContext } from '../engine-context.ts';
import { artifactsOf, createdEvent, statusEvent } from '../replay/event-body.ts';
import { journalToKeep } from '../runnable.ts';
import { changeTask } from './change-task.ts';
import { notFound, shown, type TaskAccess } from './task-access.ts';
import type { Runs } from '../schedule/runs.ts';
import { timeAfter } from '../write/status-time.ts';
import { SettleWaiter } from './settle-waiter.ts';
import { withoutList } from '../questions/open-questions.ts';

/** How long to wait after the grace period of a run before its lease is revoked. */
const REVOKE_AFTER_MS = 1000;

/**
 * Cancels a task. The intent is stored first: from then on the task can only end as canceled. The running handler may clean
 * up during its grace period; then the run ends the task, or this function does. Resolves when the end is stored.
 *
 * @param find Returns the record of what was read, or throws: a caller cannot cancel a task that it may not see.
 * @throws A2AError `TASK_NOT_FOUND`, or `TASK_NOT_CANCELABLE` if the task ended otherwise.
 */
export async function cancelTask(
  engine: EngineContext,
  runs: Runs,
  access: TaskAccess,
  taskId: string,
  find = shown,
): Promise<TaskRecord> {
  const waiter = new SettleWaiter(engine, access, taskId, 0, isTerminal);
  try {
    const { record } = await changeTask(engine, {
      taskId,
      action: 'cancel the task',
      faultPoint: 'after-cancel-intent',
      read: async () => find(access, taskId, await engine.store.read(access, taskId, { history: 0 })).record,
      plan: (now) => intentOf(engine, now),
    });
    if (record.endedAt !== undefined) return record;
    // A run on this node ends its task itself.
    await runs.notify(record);
    if (runs.isHere(taskId)) return await awaitEnd(engine, waiter, record);
    const ended = await endIfIdle(engine, record);
    if (ended === undefined) return await awaitEnd(engine, waiter, record);
    // The task may be suspended or queued on this node.
    void runs.notify(ended);
    return ended;
  } finally {
    waiter.close();
  }
}

/** The write of the intent, unless it is stored or the task is already canceled. */
function intentOf({ clock }: EngineContext, record: TaskRecord): TaskWrite | undefined {
  const { id, status, canceling } = record;
  if (isTerminal(status.state) && status.state !== 'TASK_STATE_CANCELED') {
    throw new A2AError('TASK_NOT_CANCELABLE', `Task ${id} has already ended`, {
      details: { taskId: id, state: status.state },
    });
  }
  if (isTerminal(status.state) || canceling) return undefined;
  // Due at once: if this node dies now, another node ends the task.
  return { taskId: id, guard: {}, canceling: true, wakeAt: clock.now() };
}

/** Ends a canceled task if no node runs it. Returns the ended task. */
async function endIfIdle(engine: EngineContext, record: TaskRecord): Promise<TaskRecord | undefined> {
  const { record: now } = await changeTask(engine, {
    taskId: record.id,
    action: 'cancel the task',
    faultPoint: 'after-cancel-end',
    read: () => record,
    plan: (before) => (before.endedAt === undefined ? endOf(engine, before) : undefined),
    // The last run has published output in the meantime, which must be part of the snapshot.
    again: ({ guard }, after) => after.endedAt === undefined && after.lastEvent !== guard.lastEvent,
  });
  return now.endedAt === undefined ? undefined : now;
}

async function endOf({ store, clock, agents }: EngineContext, record: TaskRecord): Promise<TaskWrite> {
  // The first message is needed only if no event of the task was published yet.
  const parts = record.lastEvent === 0 ? { artifacts: true } : { artifacts: true, history: 0 };
  const stored = await store.read(record, record.id, parts);
  if (stored === undefined) throw notFound(record.id);
  const [message] = stored.history;
  const { status, lastEvent } = stored.record;
  const now = clock.now();
  const canceled: TaskStatus = { state: 'TASK_STATE_CANCELED', timestamp: timeAfter(status, now) };
  const artifacts = artifactsOf(stored.artifacts ?? { tail: [] });
  const creation = lastEvent === 0 && message !== undefined ? [createdEvent(stored.record, message)] : [];
  return {
    taskId: record.id,
    guard: { idle: true, canceling: true, lastEvent },
    events: [...creation, statusEvent(record, canceled)],
    visible: true,
    status: canceled,
    history: status.message === undefined ? [] : [withoutList(status.message)],
    endedAt: now,
    ...journalToKeep(agents.get(record.agent)),
    ...(artifacts.length > 0 && { artifacts: JSON.stringify(artifacts) }),
  };
}

async function awaitEnd(engine: EngineContext, waiter: SettleWaiter, record: TaskRecord): Promise<TaskRecord> {
  const { id, agent } = record;
  const graceMs = engine.agents.get(agent)?.limits.cancelGraceMs ?? 0;
  const settled = await waiter.wait(graceMs + REVOKE_AFTER_MS);
  if (settled.kind === 'settled') return settled.record;
  if (settled.kind === 'gone') throw notFound(id);
  // The run or its node hangs. Revoking the lease rejects its further writes, so the task can be ended here.
  const write = { taskId: id, by: engine.node, guard: { canceling: true }, revoke: true } as const;
  const revoked = await engine.store.append(write);
  const current = revoked.kind === 'appended' || revoked.kind === 'rejected' ? revoked.record : record;
  if (current === undefined) throw notFound(id);
  const ended = current.endedAt === undefined ? await endIfIdle(engine, current) : current;
  if (ended !== undefined) return ended;
  // Another node has claimed the task and ends it, or hangs as well.
  const next = new SettleWaiter(engine, record, id, 0, isTerminal);
  void next.poll();
  return awaitEnd(engine, next, record).finally(() => next.close());
}
