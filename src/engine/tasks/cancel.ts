import { A2AError } from '../../errors.ts';
import { isTerminal } from '../../model/state.ts';
import type { TaskStatus } from '../../model/task.ts';
import type { Scope, TaskRecord } from '../../store/store.ts';
import type { EngineContext } from '../engine-context.ts';
import { artifactsOf, createdEvent, statusEvent } from '../replay/event-body.ts';
import { notFound } from './task-access.ts';
import type { Runs } from '../schedule/runs.ts';
import { timeAfter } from '../write/status-time.ts';
import { SettleWaiter } from './settle-waiter.ts';

/** How long to wait after the grace period of a run before its lease is revoked. */
const REVOKE_AFTER_MS = 1000;

/**
 * Cancels a task. The intent is stored first: from then on the task can only end as canceled. The running handler may clean
 * up during its grace period; then the run ends the task, or this function does. Resolves when the end is stored.
 *
 * @throws A2AError `TASK_NOT_FOUND`, or `TASK_NOT_CANCELABLE` if the task ended otherwise.
 */
export async function cancelTask(engine: EngineContext, runs: Runs, scope: Scope, taskId: string): Promise<TaskRecord> {
  const waiter = new SettleWaiter(engine, scope, taskId, 0, isTerminal);
  try {
    const record = await declare(engine, taskId, await visibleRecord(engine, scope, taskId));
    engine.faultPoint('after-cancel-intent');
    if (record.endedAt !== undefined) return record;
    const ended = await endIfIdle(engine, record);
    if (ended !== undefined) {
      // The task may be suspended or queued on this node.
      void runs.refreshFromStore(taskId);
      return ended;
    }
    await runs.refreshFromStore(taskId);
    return await awaitEnd(engine, waiter, record);
  } finally {
    waiter.close();
  }
}

async function visibleRecord({ store }: EngineContext, scope: Scope, taskId: string): Promise<TaskRecord> {
  const stored = await store.read(scope, taskId, { history: 0 });
  if (stored === undefined) throw notFound(taskId);
  return stored.record;
}

/** Stores the intent, unless it is already stored or the task is already canceled. */
async function declare({ store, node, clock }: EngineContext, taskId: string, record: TaskRecord): Promise<TaskRecord> {
  if (isTerminal(record.status.state)) return assertCanceled(record);
  if (record.canceling) return record;
  // Due at once: if this node dies now, another node ends the task.
  const write = { taskId, by: node, guard: {}, canceling: true as const, wakeAt: clock.now() };
  const result = await store.append(write);
  if (result.kind === 'appended') return result.record;
  if (result.kind === 'rejected' && result.record !== undefined) return assertCanceled(result.record);
  throw notFound(taskId);
}

function assertCanceled(record: TaskRecord): TaskRecord {
  const { id, status } = record;
  if (status.state === 'TASK_STATE_CANCELED') return record;
  throw new A2AError('TASK_NOT_CANCELABLE', `Task ${id} has already ended`, {
    details: { taskId: id, state: status.state },
  });
}

async function endIfIdle(engine: EngineContext, record: TaskRecord): Promise<TaskRecord | undefined> {
  // The first message is needed only if no event of the task was published yet.
  const parts = record.lastEvent === 0 ? { artifacts: true } : { artifacts: true, history: 0 };
  const stored = await engine.store.read(record, record.id, parts);
  if (stored === undefined) throw notFound(record.id);
  const [message] = stored.history;
  const isUnheardOf = stored.record.lastEvent === 0 && message !== undefined;
  const { status } = stored.record;
  const now = engine.clock.now();
  const canceled: TaskStatus = { state: 'TASK_STATE_CANCELED', timestamp: timeAfter(status, now) };
  const artifacts = artifactsOf(stored.artifacts ?? { tail: [] });
  const creation = isUnheardOf ? [createdEvent(stored.record, message)] : [];
  const events = [...creation, statusEvent(record, canceled)];
  const result = await engine.store.append({
    taskId: record.id,
    by: engine.node,
    // The last run may have published output since the read, which must then be part of the snapshot.
    guard: { idle: true, canceling: true, lastEvent: stored.record.lastEvent },
    events,
    visible: true,
    status: canceled,
    history: status.message === undefined ? [] : [status.message],
    endedAt: now,
    ...(artifacts.length > 0 && { artifacts: JSON.stringify(artifacts) }),
  });
  engine.faultPoint('after-cancel-end');
  if (result.kind !== 'appended') {
    const after = result.kind === 'rejected' ? result.record : undefined;
    if (after?.endedAt !== undefined) return after;
    return after !== undefined && after.lastEvent !== stored.record.lastEvent ? endIfIdle(engine, after) : undefined;
  }
  const numbered = events.map((event, i) => ({ ...event, number: result.firstEvent + i }));
  engine.observers.metrics?.stateReached(result.record);
  engine.feed.tell(record.id, { kind: 'written', record: result.record, events: numbered });
  return result.record;
}

async function awaitEnd(
  engine: EngineContext,
  waiter: SettleWaiter,
  { id, agent, tenant, owner }: TaskRecord,
): Promise<TaskRecord> {
  const graceMs = engine.agents.get(agent)?.limits.cancelGraceMs ?? 0;
  const rest = await waiter.wait(graceMs + REVOKE_AFTER_MS);
  if (rest.kind === 'resting') return rest.record;
  if (rest.kind === 'gone') throw notFound(id);
  // The run or its node hangs. Revoking the lease rejects its further writes, so the task can be ended here.
  await engine.store.append({ taskId: id, by: engine.node, guard: { canceling: true }, revoke: true });
  const record = await visibleRecord(engine, { tenant, owner }, id);
  if (record.endedAt !== undefined) return record;
  const ended = await endIfIdle(engine, record);
  if (ended !== undefined) return ended;
  // Another node has claimed the task and ends it, or hangs as well.
  const next = new SettleWaiter(engine, record, id, 0, isTerminal);
  void next.poll();
  return awaitEnd(engine, next, record).finally(() => next.close());
}
