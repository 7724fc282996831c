import { A2AError } from '../../errors.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Lineage } from '../../model/lineage.ts';
import type { Message } from '../../model/message.ts';
import type { TraceContext } from '../../observe/trace-context.ts';
import type { Idempotency, Scope } from '../../store/store.ts';
import { digest } from '../../support/secret/digest.ts';
import { isName, MAX_CALLER, MAX_NAME } from '../../support/name.ts';
import type { Caller } from '../handler.ts';
import { isPlain } from '../../support/json/json-value.ts';
import type { Origin } from '../replay/load-task.ts';
import { assertStorablePush, type NewPushConfig } from '../outbox/push-configs.ts';
import type { LeaveSignal } from '../../support/leave-signal.ts';
import type { Writable } from '../../support/writable.ts';
import { nameAt } from './task-access.ts';

/** A message to an agent, with everything that is known about its request. */
export interface Submission extends Scope {
  /** The id of the agent. */
  readonly agent: string;
  /** The message. With a `taskId` it continues that task, otherwise it starts a new one. */
  readonly message: Message;
  /** The caller of the request. */
  readonly caller: Caller;
  /** The key whose share of slots and queue the task uses, if not the owner's: see `NewTask.fairnessKey`. */
  readonly fairnessKey?: string;
  /** The media types that the caller accepts. */
  readonly acceptedOutputModes?: readonly string[];
  /** The metadata of the request. */
  readonly metadata?: JsonObject;
  /** The URIs of the extensions that the request activates. */
  readonly extensions?: readonly string[];
  /** The skill that the message is addressed to, if it names one. */
  readonly skillId?: string;
  /** The trace context of the request, if it has one. */
  readonly trace?: TraceContext;
  /** Where the task comes from, if another agent has sent the message. Checked by `checkLineage`. */
  readonly lineage?: Lineage;
  /** Whether to return as soon as the message is stored, without waiting for the task. */
  readonly returnImmediately?: boolean;
  /**
   * Identifies the request. A repeat returns the outcome of the first request; other content under the same key is
   * rejected.
   */
  readonly idempotencyKey?: string;
  /**
   * Whether a repeated message of an authenticated caller is recognised without a key, by its `messageId` and content;
   * `true` if not set. The same `messageId` with other content is a new message.
   */
  readonly deduplicateByMessageId?: boolean;
  /**
   * The id of the question that the message answers: the `messageId` of the status that shows it, or will show it. If that question
   * is not open, only a repeat is accepted. If not set, the message answers the question that is shown.
   */
  readonly answers?: string;
  /** The caller's own name for the task. */
  readonly alias?: string;
  /** A push configuration, stored together with the message. */
  readonly pushConfig?: NewPushConfig;
  /** The maximum working time of a new task, in milliseconds. The limit of the agent still applies. */
  readonly timeoutMs?: number;
  /** How long to wait for a result, in milliseconds. The limit of the agent still applies. */
  readonly maxWaitMs?: number;
  /** Aborts when the caller disconnects. */
  readonly signal?: LeaveSignal;
  /** Whether to only store the task and leave the run to another node. */
  readonly elsewhere?: boolean;
  /** Called with the id of the task as soon as the message is stored, also for a repeat. */
  readonly onStored?: (taskId: string) => void;
  /** Set if a task of the same store sends the message. */
  readonly call?: CallOrigin;
}

/** The call that creates a task. */
export interface CallOrigin {
  /** The id of the call. */
  readonly id: string;
  /** The id of the new task, chosen with the call. */
  readonly taskId: string;
}

/** How long repeats of a request are recognised at least. */
export const KEEP_KEY_MS = 24 * 60 * 60 * 1000;

/** The nesting limit of the wire, plus the levels around a message. */
const MAX_DEPTH = 80;

/**
 * Rejects a submission that cannot be stored and read back.
 *
 * @throws A2AError `INVALID_PARAMS`
 */
export function assertStorable(submission: Submission): void {
  const { message, metadata, pushConfig } = submission;
  assertNames(submission);
  if (pushConfig !== undefined) assertStorablePush(pushConfig);
  if (isPlain(message, MAX_DEPTH) && (metadata === undefined || isPlain(metadata, MAX_DEPTH))) return;
  throw new A2AError('INVALID_PARAMS', `A message must be plain JSON, at most ${MAX_DEPTH} levels deep`, {
    violations: [{ field: 'message', description: `must be plain JSON, at most ${MAX_DEPTH} levels deep` }],
  });
}

/**
 * Rejects names that a store could confuse with another name, which would expose the tasks of one owner to another, and
 * names that are too long for an index.
 */
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
  // Values of other types are rejected with the message.
  if (typeof text !== 'string') return;
  const isShort = text.length <= most;
  if (isShort && isName(text)) return;
  const description = isShort ? 'must not contain NUL or unpaired surrogates' : `must have at most ${most} characters`;
  throw new A2AError('INVALID_PARAMS', `${field} ${description}`, { violations: [{ field, description }] });
}

/** How a repeat of the request is recognised; `undefined` if it cannot be. */
export function idempotencyOf(submission: Submission, now: number): Idempotency | undefined {
  const { agent, idempotencyKey, deduplicateByMessageId = true, caller, message, call } = submission;
  if (call !== undefined)
    return { key: nameAt(agent, `c:${call.id}`), digest: contentDigest(submission), keepUntil: now + KEEP_KEY_MS };
  // Message ids of anonymous callers collide in practice.
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
  const { caller, acceptedOutputModes = [], metadata, extensions, skillId, trace, timeoutMs, lineage } = submission;
  const origin: Writable<Origin> = { caller, acceptedOutputModes };
  if (metadata !== undefined) origin.metadata = metadata;
  if (extensions !== undefined) origin.extensions = extensions;
  if (skillId !== undefined) origin.skillId = skillId;
  if (trace !== undefined) origin.trace = trace;
  if (timeoutMs !== undefined) origin.timeoutMs = timeoutMs;
  if (lineage !== undefined) origin.lineage = lineage;
  return origin as unknown as JsonObject;
}

/**
 * A copy of a message with the ids of its task. Members are set one by one, because adding a member to a spread creates a
 * new hidden class each time, which slows down all code that reads it.
 */
export function withTaskIds(message: Message, taskId: string, contextId: string): Message {
  const { messageId, role, parts, metadata, extensions, referenceTaskIds, unknownMembers } = message;
  const copy: Writable<Message> = { messageId, contextId, taskId, role, parts };
  if (metadata !== undefined) copy.metadata = metadata;
  if (extensions !== undefined) copy.extensions = extensions;
  if (referenceTaskIds !== undefined) copy.referenceTaskIds = referenceTaskIds;
  if (unknownMembers !== undefined) copy.unknownMembers = unknownMembers;
  return copy;
}
