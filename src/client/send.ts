import { A2AError } from '../errors.ts';
import type { SendMessageRequest } from '../model/operation.ts';
import { clientNamesTasks } from '../wire/spoken.ts';
import type { CallScope } from './call-scope.ts';
import type { Caller } from './caller.ts';
import { type AgentEvent, type Received, toAgentEvent } from './event.ts';
import { Follower } from './follow.ts';
import { ItemStream } from './item-stream.ts';
import type { SendOptions } from './options.ts';
import { pollUpdates } from './poll.ts';
import { messageReply, type Reply, taskReply } from './reply.ts';
import { isSaidInStream } from './response-error.ts';
import { TaskFold } from './task-fold.ts';
import { encodeHandle } from './task-handle.ts';

/** Sends a message, in whatever way lets it learn of the end, and waits for that. */
export async function sendAndWait(
  caller: Caller,
  scope: CallScope,
  request: SendMessageRequest,
  options: SendOptions,
): Promise<Reply> {
  const { onProgress } = options;
  const isFollowUp = request.message.taskId !== undefined;
  const wait = wayFor(options.wait ?? waysOf(caller), isFollowUp);
  const fold = new TaskFold();
  const task = { caller, scope, fold };
  about(task, request.message.taskId, request.message.messageId);
  if (wait === 'block') {
    const received = await submitted(task, request);
    if (onProgress !== undefined) tell(onProgress, received);
    return isSettled(fold) ? replyOf(task, received.raw) : waited(task, received.raw, onProgress);
  }
  const events = wait === 'stream' ? streamed(task, request) : sent(task, request);
  const raw = await lastOf(events, fold, onProgress, isFollowUp);
  return wait === 'none' || isSettled(fold) ? replyOf(task, raw) : waited(task, raw, onProgress);
}

/** Asks for a task until it has ended or asks back. */
async function waited(task: TaskAtWork, known: unknown, onProgress: SendOptions['onProgress']): Promise<Reply> {
  const raw = await lastOf(pollUpdates(task), task.fold, onProgress);
  return replyOf(task, raw ?? known);
}

/**
 * Whoever answers a question and does not wait is told of the task as it was, that is, of the question: only the agent
 * knows when it has read the answer.
 */
function wayFor(wait: NonNullable<SendOptions['wait']>, isFollowUp: boolean): NonNullable<SendOptions['wait']> {
  return isFollowUp && wait === 'poll' ? 'block' : wait;
}

/** Sends a message and gives every event to the end of the stream, or of the task where the agent has no streams. */
export function sendStream(
  caller: Caller,
  scope: CallScope,
  request: SendMessageRequest,
  fold: TaskFold,
): AsyncGenerator<Received, void, void> {
  const task = { caller, scope, fold };
  about(task, request.message.taskId, request.message.messageId);
  return waysOf(caller) === 'stream' ? streamed(task, request) : polled(task, request);
}

async function* polled(task: TaskAtWork, request: SendMessageRequest): AsyncGenerator<Received, void, void> {
  if (request.message.taskId === undefined) yield* sent(task, request);
  else yield submitted(task, request);
  if (!isSettled(task.fold)) yield* pollUpdates(task);
}

/** A task, and all it takes to learn more of it. */
export interface TaskAtWork {
  readonly caller: Caller;
  readonly scope: CallScope;
  readonly fold: TaskFold;
}

/** From now on, what goes wrong with the call tells how to get back to the task. */
export function about({ caller, scope, fold }: TaskAtWork, taskId: string | undefined, messageId?: string): void {
  scope.isAbout(() => handleOf(caller, fold.taskId ?? taskId), messageId);
}

export function handleOf(caller: Caller, taskId: string): string;
export function handleOf(caller: Caller, taskId: string | undefined): string | undefined;
export function handleOf(caller: Caller, taskId: string | undefined): string | undefined {
  if (taskId === undefined) return undefined;
  const { url, binding, version, tenant } = caller.endpoints.current;
  return encodeHandle({ url, binding, version, tenant, taskId, streaming: waysOf(caller) === 'stream' });
}

export function waysOf({ card }: Caller): 'stream' | 'poll' {
  return card.capabilities.streaming === true ? 'stream' : 'poll';
}

export function isSettled(fold: TaskFold): boolean {
  return fold.isOver || fold.isPaused;
}

/**
 * Goes through events until it is the caller's turn. Gives the last one as it came. In a follow-up the first may be the task
 * as it was before, which still asks what the message answers.
 */
export async function lastOf(
  events: AsyncGenerator<Received, void, void>,
  fold: TaskFold,
  onProgress: ((event: AgentEvent) => void) | undefined,
  isFollowUp = false,
): Promise<unknown> {
  let raw: unknown;
  let isOld = isFollowUp;
  for await (const received of events) {
    ({ raw } = received);
    if (onProgress !== undefined) tell(onProgress, received);
    // To an answer, an agent may first show the task as it was before: still asking.
    isOld &&= 'task' in received.event;
    if (fold.isPaused && !isOld) break;
    isOld = false;
  }
  return raw;
}

/** Whatever the listener does, it does not touch the call. */
function tell(onProgress: (event: AgentEvent) => unknown, received: Received): void {
  try {
    const result = onProgress(toAgentEvent(received));
    if (result instanceof Promise) result.catch(() => {});
  } catch {
    // Its own affair.
  }
}

export function replyOf({ caller, scope, fold }: TaskAtWork, raw: unknown): Reply {
  const traceparent = scope.trace.last;
  if (fold.message !== undefined) return messageReply(fold.message, traceparent, raw);
  const task = fold.task();
  if (task === undefined)
    throw new A2AError('INVALID_AGENT_RESPONSE', 'The agent answered with neither a task nor a message');
  return taskReply(task, handleOf(caller, task.id), traceparent, raw);
}

async function* sent(task: TaskAtWork, request: SendMessageRequest): AsyncGenerator<Received, void, void> {
  const { caller } = task;
  // 0.1 cannot ask an agent not to wait. To leave a stream after its first event comes to the same.
  if (clientNamesTasks(caller.endpoints.current) && waysOf(caller) === 'stream')
    return yield* firstOf(streamed(task, request));
  yield submitted(task, atOnce(request));
}

/** Sends a message in one request, and takes what is answered. */
async function submitted({ caller, scope, fold }: TaskAtWork, request: SendMessageRequest): Promise<Received> {
  const { value: event, raw } = await caller.call('SendMessage', request, scope, request.message.messageId);
  fold.take(event);
  return { event, number: undefined, raw };
}

function atOnce(request: SendMessageRequest): SendMessageRequest {
  return { ...request, configuration: { ...request.configuration, returnImmediately: true } };
}

async function* firstOf(events: AsyncGenerator<Received, void, void>): AsyncGenerator<Received, void, void> {
  for await (const event of events) return yield event;
}

function streamed(task: TaskAtWork, request: SendMessageRequest): AsyncGenerator<Received, void, void> {
  const isReopenable = task.caller.recognises(request.message.messageId);
  return new Follower({ ...task, open: () => openStream(task, request), isReopenable }).events();
}

/**
 * A card may promise streams that the agent does not have: then the message can be sent plainly. Only if that is beyond
 * doubt, for agents also call a stream unsupported that they have begun to work for.
 */
async function openStream({ caller, scope }: TaskAtWork, request: SendMessageRequest): Promise<ItemStream> {
  const idempotencyKey = request.message.messageId;
  try {
    return await caller.open('SendStreamingMessage', request, scope, { idempotencyKey });
  } catch (error) {
    if (!isWithoutStreams(error)) throw error;
    const plain = request.message.taskId === undefined ? atOnce(request) : request;
    return ItemStream.single(await caller.call('SendMessage', plain, scope, idempotencyKey));
  }
}

/** Said in a stream, it comes from an agent that has read the message, and may be what somebody else said to it. */
function isWithoutStreams(error: unknown): boolean {
  if (!A2AError.is(error) || isSaidInStream(error)) return false;
  if (error.code === 'METHOD_NOT_FOUND') return true;
  return error.code === 'UNSUPPORTED_OPERATION' && error.details['capability'] === 'streaming';
}
