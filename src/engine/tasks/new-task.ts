import { A2AError } from '../../errors.ts';
import type { Message } from '../../model/message.ts';
import { fairnessKeyOf, type Created, type NewTask, type TaskRecord } from '../../store/store.ts';
import { jsonSize } from '../../support/json/json-size.ts';
import type { Writable } from '../../support/writable.ts';
import {
  withTaskIds,
  assertStorable,
  contentDigest,
  idempotencyOf,
  KEEP_KEY_MS,
  originOfSubmission,
  type Submission,
} from './submission.ts';
import type { EngineContext } from '../engine-context.ts';
import { Creation } from '../write/creation.ts';
import { createdEvent } from '../replay/event-body.ts';
import { newlyMade } from '../replay/load-task.ts';
import { pushConfigOf } from '../outbox/push-configs.ts';
import type { Runnable } from '../runnable.ts';
import type { Runs } from '../schedule/runs.ts';
import { isSensitive } from '../questions/sensitive-parts.ts';
import { queueShare, type Slots } from '../schedule/slots.ts';
import { timeText } from '../write/status-time.ts';
import { nameAt } from './task-access.ts';

/** A task that is about to be created, and whether its run has a slot. */
export interface PreparedTask {
  readonly task: NewTask;
  readonly agent: Runnable;
  readonly hasSlot: boolean;
  /** Finds the reply if the task no longer exists, because another node may have dropped it for one. */
  readonly findReply: () => Promise<Message | undefined>;
}

/** The result of storing a new task. */
export type Begun =
  | { readonly kind: 'created'; readonly record: TaskRecord }
  /** The request is a repeat. */
  | { readonly kind: 'repeated'; readonly taskId: string; readonly reply?: Message };

/** Validates a message and prepares a task for it. Listeners must be added before `beginTask` is called. */
export function prepareTask(engine: EngineContext, runs: Runs, agent: Runnable, submission: Submission): PreparedTask {
  assertStorable(submission);
  assertNothingSensitive(submission.message);
  agent.access?.admit(submission.caller, submission.tenant, submission.skillId);
  agent.admit?.(submission.message, submission.acceptedOutputModes ?? [], submission.skillId);
  const isElsewhere = submission.elsewhere === true;
  const slots = runs.slots(agent);
  const key = fairnessKeyOf(submission);
  const hasSlot = !isElsewhere && slots.mayStart(key);
  // The queue length of other nodes is unknown here.
  const waitsHere = !hasSlot && !isElsewhere && engine.runsTasks;
  if (waitsHere) assertQueueHasRoom(engine, agent, slots.refusal(key));
  const task = newTask(engine, submission, hasSlot);
  // Taken before the task is stored, so that concurrent messages do not find the same last slot.
  if (hasSlot) slots.take(key);
  else if (waitsHere) slots.enqueue(task, runs.limitWait(agent, task));
  return { task, agent, hasSlot, findReply: () => replyTo(engine, task) };
}

async function replyTo({ store }: EngineContext, task: NewTask): Promise<Message | undefined> {
  // Without a key, `create` would store the task again.
  if (task.idempotency === undefined) return undefined;
  const found = await store.create(task);
  return found.kind === 'repeated' ? found.reply : undefined;
}

/**
 * Stores a new task, and runs it at once if a slot is free. The run starts before the task is stored if the store has
 * accepted the write.
 */
export async function beginTask(engine: EngineContext, runs: Runs, prepared: PreparedTask): Promise<Begun> {
  const { task, agent, hasSlot } = prepared;
  let creation: Creation | undefined;
  const start = (record: TaskRecord, isStored: boolean): void => {
    creation = new Creation(isStored);
    runs.start(agent, newlyMade(record, task.message, creation));
  };
  // A handler that must not run twice must not run for a task that may be lost.
  const mayRunAhead = hasSlot && agent.limits.recovery !== 'fail';
  const freeSlot = (): void => {
    if (!hasSlot) runs.slots(agent).dequeue(task.id);
    else if (creation === undefined) runs.freeSlot(agent, task);
    else {
      creation.fail();
      runs.stopUnstored(task.id);
    }
  };
  let created: Created;
  try {
    created = await engine.store.create(task, mayRunAhead ? (record) => start(record, false) : undefined);
    engine.faultPoint('after-create');
  } catch (error) {
    freeSlot();
    if (hasSlot) runs.releaseUnconfirmed(task.id);
    throw error;
  }
  if (created.kind !== 'created') {
    freeSlot();
    return knownTask(created);
  }
  engine.observers.metrics?.stateReached(created.record);
  engine.feed.stored(created.record);
  if (creation !== undefined) creation.succeed();
  else if (hasSlot) start(created.record, true);
  else runs.lookForWork();
  return created;
}

/** The first message is the request itself and is stored unchanged, so it must not contain sensitive parts. */
function assertNothingSensitive({ parts }: Message): void {
  const first = parts.findIndex(isSensitive);
  if (first < 0) return;
  const description = 'must not be marked as sensitive before the task asks for it';
  throw new A2AError('INVALID_PARAMS', `message.parts[${first}] ${description}`, {
    violations: [{ field: `message.parts[${first}]`, description }],
  });
}

/** The task that a message creates. */
export function newTask(
  { newId, clock, node, maxHistoryBytes }: EngineContext,
  submission: Submission,
  hasSlot: boolean,
): NewTask {
  const now = clock.now();
  const { tenant, owner, agent, fairnessKey, alias, pushConfig, call } = submission;
  const id = call?.taskId ?? newId();
  const contextId = submission.message.contextId ?? newId();
  const message = withTaskIds(submission.message, id, contextId);
  const historyBytes = jsonSize(message);
  if (historyBytes > maxHistoryBytes) throw messageTooLarge(maxHistoryBytes);
  const status = { state: 'TASK_STATE_SUBMITTED' as const, timestamp: timeText(now) };
  // A task that another node may run needs a key, so that its reply can be found.
  const idempotency =
    idempotencyOf(submission, now) ??
    (hasSlot ? undefined : { key: `t:${id}`, digest: contentDigest(submission), keepUntil: now + KEEP_KEY_MS });
  // Plain assignments, because this runs for every new task.
  const task: Writable<NewTask> = {
    id,
    contextId,
    tenant,
    owner,
    agent,
    status,
    origin: originOfSubmission(submission),
    message,
    historyBytes,
    createdAt: now,
    wakeAt: now,
  };
  if (fairnessKey !== undefined) task.fairnessKey = fairnessKey;
  if (submission.returnImmediately === true) task.event = createdEvent({ id, contextId, status }, message);
  if (hasSlot) task.node = node;
  if (call !== undefined) task.callId = call.id;
  if (alias !== undefined) task.alias = nameAt(agent, alias);
  if (idempotency !== undefined) task.idempotency = idempotency;
  if (pushConfig !== undefined) task.pushConfig = pushConfigOf({ newId, clock }, id, pushConfig);
  return task;
}

function knownTask(known: Exclude<Created, { kind: 'created' }>): Extract<Created, { kind: 'repeated' }> {
  switch (known.kind) {
    case 'repeated':
      return known;
    case 'key-reused':
      throw keyReused();
    case 'alias-taken':
      throw new A2AError('INVALID_PARAMS', 'A task with this name already exists', {
        details: { taskId: known.taskId },
      });
  }
}

function messageTooLarge(maxBytes: number): A2AError {
  const description = `expected at most ${maxBytes} bytes: send large files by url`;
  return new A2AError('PAYLOAD_TOO_LARGE', `message: ${description}`, {
    details: { limit: 'historyBytesPerTask' },
    violations: [{ field: 'message', description }],
  });
}

export function keyReused(): A2AError {
  return new A2AError(
    'INVALID_PARAMS',
    'The Idempotency-Key was already used for another message. Send a new key with each message; reuse a key only to repeat a message.',
  );
}

function assertQueueHasRoom(
  { pollMs, observers }: EngineContext,
  { limits }: Runnable,
  refusal: ReturnType<Slots['refusal']>,
): void {
  if (refusal === undefined) return;
  observers.metrics?.limitHit('queue');
  const { queue } = limits;
  const [why, advice] =
    refusal === 'full'
      ? [
          `it has no free slot for this caller, and its queue is full with ${queue} tasks`,
          'Send the message again later',
        ]
      : [
          `${queueShare(queue)} tasks of this caller are already queued, which is its share while other callers wait`,
          'Send the message again when some of them have started, or cancel some',
        ];
  throw new A2AError('UNAVAILABLE', `This agent is busy: ${why}. The message was not stored. ${advice}.`, {
    details: { limit: 'queue' },
    retryAfterMs: pollMs,
  });
}
