import { A2AError } from '../../errors.ts';
import type { Appended, TaskRecord, TaskWrite } from '../../store/store.ts';
import type { EngineContext } from '../engine-context.ts';
import { outlined } from '../replay/journal-outline.ts';

/** A bound on retries after concurrent writes: a task that changes this often is not waiting. */
const MAX_TRIES = 20;

/** A change of a task from outside of its run. */
export interface TaskChange {
  readonly taskId: string;
  /** The action in the error after the last try: "Could not …". */
  readonly action: string;
  /** Reads the task, or returns it if it is known. @throws A2AError `TASK_NOT_FOUND` */
  read(): TaskRecord | Promise<TaskRecord>;
  /** Checks the task and returns the write, guarded by what was checked; `undefined` if there is nothing to change. */
  plan(record: TaskRecord): TaskWrite | undefined | Promise<TaskWrite | undefined>;
  /** Whether to plan again after a rejected write; always if not set. */
  again?(write: TaskWrite, now: TaskRecord): boolean;
  /** The point at which tests can inject a failure after a write. */
  readonly faultPoint: string;
}

export interface Changed {
  /** `unchanged`: there was nothing to change, or the write was rejected and not planned again. */
  readonly kind: 'changed' | 'unchanged' | Exclude<Appended['kind'], 'appended' | 'rejected'>;
  /** The task as it is now; for a repeated request, as it was when the change was planned. */
  readonly record: TaskRecord;
}

/**
 * Changes a task from outside of its run: plans a write for the task as it is, and plans again if the task has changed in
 * the meantime. A stored write is published to the subscribers on this node.
 *
 * @throws A2AError `TASK_NOT_FOUND`, or `UNAVAILABLE` if the task changes during each try.
 */
export async function changeTask(engine: EngineContext, change: TaskChange): Promise<Changed> {
  const { taskId, action } = change;
  let record = await change.read();
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const write = await change.plan(record);
    if (write === undefined) return { kind: 'unchanged', record };
    const journal = write.journal && outlined(write.journal, engine.clock.now());
    const result = await engine.store.append({ ...write, ...(journal && { journal }), by: engine.node });
    engine.faultPoint(change.faultPoint);
    if (result.kind === 'appended') {
      publish(engine, write, result.record, result.firstEvent);
      if (result.callsDue === true) engine.onCallsDue(result.record);
      return { kind: 'changed', record: result.record };
    }
    if (result.kind !== 'rejected') return { kind: result.kind, record };
    record = result.record ?? (await change.read());
    if (change.again?.(write, record) === false) return { kind: 'unchanged', record };
  }
  throw new A2AError(
    'UNAVAILABLE',
    `Could not ${action}: task ${taskId} changed during each of ${MAX_TRIES} attempts. Try again later.`,
    { retryAfterMs: engine.pollMs },
  );
}

function publish({ feed, observers }: EngineContext, write: TaskWrite, record: TaskRecord, firstEvent: number): void {
  if (write.status !== undefined) observers.metrics?.stateReached(record);
  feed.written(record, () => {
    const events = (write.events ?? []).map((event, i) => ({ ...event, number: firstEvent + i }));
    return { kind: 'written', record, events };
  });
}
