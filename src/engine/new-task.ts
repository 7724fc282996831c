import { A2AError } from '../errors.ts';
import type { Message } from '../model/message.ts';
import type { Created, NewTask, TaskRecord } from '../store/store.ts';
import type { Core } from './core.ts';
import { createdEvent } from './event-body.ts';
import { newlyMade } from './load-task.ts';
import { pushConfigOf } from './push-configs.ts';
import type { Runnable } from './runnable.ts';
import type { Runs } from './runs.ts';
import {
  assertStorable,
  contentDigest,
  idempotencyOf,
  KEEP_KEY_MS,
  originOfSubmission,
  type Submission,
} from './submission.ts';

/** What became of a message that begins a task. */
export type Begun =
  | {
      readonly kind: 'created';
      readonly record: TaskRecord;
      readonly message: Message;
      /** Lets the work begin. Until then the caller can make sure to hear of it. */
      readonly begin: () => void;
      /** Finds the answer if the task is gone: another node may have dropped it for a reply. */
      readonly findReply: () => Promise<Message | undefined>;
    }
  /** The same request came before. */
  | {
      readonly kind: 'repeated';
      readonly taskId: string;
      readonly reply?: Message;
      readonly findReply: () => Promise<Message | undefined>;
    };

/** Makes a task of a message, and runs it here at once if there is a place. */
export async function beginTask(core: Core, runs: Runs, agent: Runnable, submission: Submission): Promise<Begun> {
  assertStorable(submission);
  agent.admit?.(submission.message, submission.acceptedOutputModes ?? []);
  // Who came before and waits goes first.
  const hasPlace = runs.free(agent) > 0 && runs.queued(agent) === 0;
  if (hasPlace) runs.reserve(agent);
  else assertQueueHasRoom(core, runs, agent);
  const task = newTask(core, submission, hasPlace);
  // Before it is stored, or all messages of one moment would find the same last place.
  if (!hasPlace) runs.enqueue(agent, task);
  let created: Created;
  try {
    created = await core.store.create(task);
    core.faultPoint('after-create');
  } catch (error) {
    if (hasPlace) {
      runs.giveUp(agent);
      runs.disown(task.id);
    } else {
      runs.dequeue(agent, task.id);
    }
    throw error;
  }
  const findReply = async (): Promise<Message | undefined> => {
    // Without a key it would be made again.
    if (task.idempotency === undefined) return undefined;
    const found = await core.store.create(task);
    return found.kind === 'repeated' ? found.reply : undefined;
  };
  if (created.kind !== 'created') {
    if (hasPlace) runs.giveUp(agent);
    else runs.dequeue(agent, task.id);
    return { ...knownTask(created), findReply };
  }
  const { record } = created;
  return {
    kind: 'created',
    record,
    message: task.message,
    begin: () => {
      if (hasPlace) runs.start(agent, newlyMade(record, task.message));
      else runs.lookForWork();
    },
    findReply,
  };
}

function newTask({ newId, clock, node }: Core, submission: Submission, hasPlace: boolean): NewTask {
  const now = clock.now();
  const id = newId();
  const contextId = submission.message.contextId ?? newId();
  const message: Message = { ...submission.message, taskId: id, contextId };
  const status = { state: 'TASK_STATE_SUBMITTED' as const, timestamp: new Date(now).toISOString() };
  const { tenant, owner, agent, alias, pushConfig } = submission;
  // A task that another node may run needs a key, so that its reply can be found.
  const idempotency =
    idempotencyOf(submission, now) ??
    (hasPlace ? undefined : { key: `t:${id}`, digest: contentDigest(submission), keepUntil: now + KEEP_KEY_MS });
  return {
    id,
    contextId,
    tenant,
    owner,
    agent,
    status,
    origin: originOfSubmission(submission),
    message,
    createdAt: now,
    wakeAt: now,
    ...(submission.returnImmediately === true && { event: createdEvent({ id, contextId, status }, message) }),
    ...(hasPlace && { node }),
    ...(alias !== undefined && { alias }),
    ...(idempotency !== undefined && { idempotency }),
    ...(pushConfig !== undefined && { pushConfig: pushConfigOf({ newId, clock }, id, pushConfig) }),
  };
}

function knownTask(known: Exclude<Created, { kind: 'created' }>): Extract<Created, { kind: 'repeated' }> {
  switch (known.kind) {
    case 'repeated':
      return known;
    case 'key-reused':
      throw keyReused();
    case 'alias-taken':
      throw new A2AError('INVALID_PARAMS', 'There is a task of this name already', {
        details: { taskId: known.taskId },
      });
  }
}

export function keyReused(): A2AError {
  return new A2AError('INVALID_PARAMS', 'This key was used for another message: take a new one for each message');
}

function assertQueueHasRoom({ pollMs }: Core, runs: Runs, agent: Runnable): void {
  const { limits } = agent;
  if (runs.queued(agent) < limits.queue) return;
  throw new A2AError('UNAVAILABLE', `The agent has ${limits.concurrency} tasks at work and ${limits.queue} waiting`, {
    retryAfterMs: pollMs,
  });
}
