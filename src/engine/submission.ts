import { A2AError } from '../errors.ts';
import type { JsonObject } from '../model/json.ts';
import type { Message } from '../model/message.ts';
import type { Idempotency, Scope } from '../store/store.ts';
import { digest } from '../support/digest.ts';
import type { Caller } from './handler.ts';
import { isPlain } from './json-value.ts';
import type { Origin } from './load-task.ts';
import { assertStorablePush, type NewPushConfig } from './push-configs.ts';
import type { LeaveSignal } from '../support/leave-signal.ts';
import { nameAt } from './task-access.ts';

/** A message to an agent, and all that is known of the request that brought it. */
export interface Submission extends Scope {
  readonly agent: string;
  readonly message: Message;
  readonly caller: Caller;
  readonly acceptedOutputModes?: readonly string[];
  readonly metadata?: JsonObject;
  readonly extensions?: readonly string[];
  /** Answer as soon as the task is stored. */
  readonly returnImmediately?: boolean;
  /** Tells a repeat from a new request. Without it the id of the message does, if the caller is verified. */
  readonly idempotencyKey?: string;
  /** What the caller calls the task. */
  readonly alias?: string;
  /** Where to tell of the task: stored before anything comes of the message. */
  readonly pushConfig?: NewPushConfig;
  /** The longest to wait for a result; never longer than the agent allows. */
  readonly maxWaitMs?: number;
  /** The caller has gone. */
  readonly signal?: LeaveSignal;
}

/** How long a request is remembered at least. */
export const KEEP_KEY_MS = 24 * 60 * 60 * 1000;

/** As deep as the wire lets anything be, and some more for what is put around it. */
const MAX_DEPTH = 80;

/** Whatever cannot be stored and read again is refused before it is stored. */
export function assertStorable({ message, metadata, pushConfig }: Submission): void {
  if (pushConfig !== undefined) assertStorablePush(pushConfig);
  if (isPlain(message, MAX_DEPTH) && (metadata === undefined || isPlain(metadata, MAX_DEPTH))) return;
  throw new A2AError('INVALID_PARAMS', `A message must be plain JSON, at most ${MAX_DEPTH} levels deep`, {
    violations: [{ field: 'message', description: `must be plain JSON, at most ${MAX_DEPTH} levels deep` }],
  });
}

/** How a repeat of the request is recognised; nothing if it cannot be. */
export function idempotencyOf(submission: Submission, now: number): Idempotency | undefined {
  const { agent, idempotencyKey, caller, message } = submission;
  // Ids of anonymous messages collide in real life.
  const name =
    idempotencyKey === undefined ? (caller.isVerified ? `m:${message.messageId}` : undefined) : `k:${idempotencyKey}`;
  if (name === undefined) return undefined;
  return { key: nameAt(agent, name), digest: contentDigest(submission), keepUntil: now + KEEP_KEY_MS };
}

export function contentDigest({ agent, message }: Submission): string {
  return digest(JSON.stringify([agent, message.taskId, message.contextId, message.parts]));
}

export function originOfSubmission({ caller, acceptedOutputModes = [], metadata, extensions }: Submission): JsonObject {
  const origin: Origin = {
    caller,
    acceptedOutputModes,
    ...(metadata !== undefined && { metadata }),
    ...(extensions !== undefined && { extensions }),
  };
  return origin as unknown as JsonObject;
}
