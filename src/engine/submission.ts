import { A2AError } from '../errors.ts';
import type { JsonObject } from '../model/json.ts';
import type { Message } from '../model/message.ts';
import type { TraceContext } from '../observe/trace-context.ts';
import type { Idempotency, Scope } from '../store/store.ts';
import { digest } from '../support/digest.ts';
import { isName, MAX_CALLER, MAX_NAME } from '../support/name.ts';
import type { Caller } from './handler.ts';
import { isPlain } from './json-value.ts';
import type { Origin } from './load-task.ts';
import { assertStorablePush, type NewPushConfig } from './push-configs.ts';
import type { LeaveSignal } from '../support/leave-signal.ts';
import type { Writable } from '../support/writable.ts';
import { nameAt } from './task-access.ts';

/** A message to an agent, and all that is known of the request that brought it. */
export interface Submission extends Scope {
  readonly agent: string;
  readonly message: Message;
  readonly caller: Caller;
  /** Whose share of the slots and the queue the task counts against, if not its owner's: see `NewTask.fairnessKey`. */
  readonly fairnessKey?: string;
  readonly acceptedOutputModes?: readonly string[];
  readonly metadata?: JsonObject;
  readonly extensions?: readonly string[];
  /** The skill that the message is meant for, if it names one. */
  readonly skillId?: string;
  /** Where in a trace the request is, if it is in one. */
  readonly trace?: TraceContext;
  /** Answer as soon as the task is stored. */
  readonly returnImmediately?: boolean;
  /** Identifies the request: a repeat gets the outcome of the first, and other content under the same key is rejected. */
  readonly idempotencyKey?: string;
  /**
   * Whether a message of a verified caller that comes again is recognised without a key, by its `messageId` and its content;
   * it is if not set. A `messageId` with other content is a new message.
   */
  readonly deduplicateByMessageId?: boolean;
  /**
   * The id of the question that a follow-up answers: the `messageId` of the status that asks it. If that question is not open,
   * only a repeat is accepted.
   */
  readonly answers?: string;
  /** What the caller calls the task. */
  readonly alias?: string;
  /** Where to tell of the task: stored before anything comes of the message. */
  readonly pushConfig?: NewPushConfig;
  /** Working time that the caller gives a new task; never more than the agent allows. */
  readonly timeoutMs?: number;
  /** The longest to wait for a result; never longer than the agent allows. */
  readonly maxWaitMs?: number;
  /** The caller has gone. */
  readonly signal?: LeaveSignal;
  /** Only stored here: somebody else is told to run it. */
  readonly elsewhere?: boolean;
  /** Told the id of the task as soon as the message is stored, or was before. */
  readonly onStored?: (taskId: string) => void;
}

/** How long a request is remembered at least. */
export const KEEP_KEY_MS = 24 * 60 * 60 * 1000;

/** As deep as the wire lets anything be, and some more for what is put around it. */
const MAX_DEPTH = 80;

/** Whatever cannot be stored and read again is refused before it is stored. */
export function assertStorable(submission: Submission): void {
  const { message, metadata, pushConfig } = submission;
  assertNames(submission);
  if (pushConfig !== undefined) assertStorablePush(pushConfig);
  if (isPlain(message, MAX_DEPTH) && (metadata === undefined || isPlain(metadata, MAX_DEPTH))) return;
  throw new A2AError('INVALID_PARAMS', `A message must be plain JSON, at most ${MAX_DEPTH} levels deep`, {
    violations: [{ field: 'message', description: `must be plain JSON, at most ${MAX_DEPTH} levels deep` }],
  });
}

/** A name that a store could take for another one would show its owner what is not his; for a long one it has no place. */
function assertNames(submission: Submission): void {
  const { tenant, owner, fairnessKey, message, idempotencyKey, alias, pushConfig } = submission;
  assertName('tenant', tenant);
  assertName('owner', owner, MAX_CALLER);
  assertName('fairnessKey', fairnessKey, MAX_CALLER);
  assertName('message.messageId', message.messageId);
  assertName('message.contextId', message.contextId);
  assertName('message.taskId', message.taskId);
  assertName('idempotencyKey', idempotencyKey);
  assertName('alias', alias);
  assertName('pushConfig.config.id', pushConfig?.config.id);
}

function assertName(field: string, text: string | undefined, most = MAX_NAME): void {
  // What is no string at all is refused with the message.
  if (typeof text !== 'string') return;
  const isShort = text.length <= most;
  if (isShort && isName(text)) return;
  const description = isShort
    ? 'must have neither NUL nor halves of characters'
    : `must have at most ${most} characters: take a shorter one`;
  throw new A2AError('INVALID_PARAMS', `${field} ${description}`, { violations: [{ field, description }] });
}

/** How a repeat of the request is recognised; nothing if it cannot be. */
export function idempotencyOf(submission: Submission, now: number): Idempotency | undefined {
  const { agent, idempotencyKey, deduplicateByMessageId = true, caller, message } = submission;
  // Ids of anonymous messages collide in real life.
  if (idempotencyKey === undefined && !(caller.isVerified && deduplicateByMessageId)) return undefined;
  const content = contentDigest(submission);
  // Callers reuse message ids, so the content is part of the key. Only a key that the caller chose must not be reused.
  const name = idempotencyKey === undefined ? `m:${message.messageId}:${content}` : `k:${idempotencyKey}`;
  return { key: nameAt(agent, name), digest: content, keepUntil: now + KEEP_KEY_MS };
}

export function contentDigest({ agent, message }: Submission): string {
  return digest(JSON.stringify([agent, message.taskId, message.contextId, message.parts]));
}

export function originOfSubmission(submission: Submission): JsonObject {
  const { caller, acceptedOutputModes = [], metadata, extensions, skillId, trace, timeoutMs } = submission;
  const origin: Writable<Origin> = { caller, acceptedOutputModes };
  if (metadata !== undefined) origin.metadata = metadata;
  if (extensions !== undefined) origin.extensions = extensions;
  if (skillId !== undefined) origin.skillId = skillId;
  if (trace !== undefined) origin.trace = trace;
  if (timeoutMs !== undefined) origin.timeoutMs = timeoutMs;
  return origin as unknown as JsonObject;
}
