import { listsQuestions } from '../task-question.ts';
import { A2AError } from '../../errors.ts';
import type { SendMessageRequest } from '../../model/operation.ts';
import { clientNamesTasks } from '../../wire/client-dialect.ts';
import type { CallScope } from '../request/call-scope.ts';
import type { OperationClient } from '../request/operation-client.ts';
import { type AgentEvent, type Received, toAgentEvent } from '../event.ts';
import { ResumableStream } from './resumable-stream.ts';
import { ItemStream } from './item-stream.ts';
import type { SendOptions } from '../options.ts';
import { pollUpdates } from './poll.ts';
import { messageReply, type Reply, taskReply } from '../reply.ts';
import { isReceivedInStream } from '../request/response-error.ts';
import { TaskFold } from './task-fold.ts';
import { encodeHandle } from './task-handle.ts';

/** Sends a message and waits until its task has settled. */
export async function sendAndWait(
  operationClient: OperationClient,
  scope: CallScope,
  request: SendMessageRequest,
  options: SendOptions,
): Promise<Reply> {
  const { onProgress } = options;
  const isFollowUp = request.message.taskId !== undefined;
  const wait = wayFor(options.wait ?? waysOf(operationClient), isFollowUp);
  const fold = new TaskFold();
  const task = { operationClient, scope, fold };
  about(task, request.message.taskId, request.message.messageId);
  if (wait === 'block') {
    const received = await submitted(task, request);
    if (onProgress !== undefined) notify(onProgress, received);
    return isSettled(fold) ? replyOf(task, received.raw) : waited(task, received.raw, onProgress);
  }
  const events = wait === 'stream' ? streamed(task, request) : sent(task, request);
  const raw = await lastOf(events, fold, onProgress, isFollowUp);
  return wait === 'none' || isSettled(fold) ? replyOf(task, raw) : waited(task, raw, onProgress);
}

/** Polls a task until it has ended or asks a question. */
async function waited(task: TaskAtWork, known: unknown, onProgress: SendOptions['onProgress']): Promise<Reply> {
  const raw = await lastOf(pollUpdates(task), task.fold, onProgress);
  return replyOf(task, raw ?? known);
}

/**
 * A follow-up that does not block would get the task as it was before, still with its question. Only the agent knows when it has
 * read the answer, so it must do the waiting.
 */
function wayFor(wait: NonNullable<SendOptions['wait']>, isFollowUp: boolean): NonNullable<SendOptions['wait']> {
  return isFollowUp && wait === 'poll' ? 'block' : wait;
}

/** Sends a message and returns every event until the stream ends, or until the task has settled if the agent has no streams. */
export function sendStream(
  operationClient: OperationClient,
  scope: CallScope,
  request: SendMessageRequest,
  fold: TaskFold,
): AsyncGenerator<Received, void, void> {
  const task = { operationClient, scope, fold };
  about(task, request.message.taskId, request.message.messageId);
  return waysOf(operationClient) === 'stream' ? streamed(task, request) : polled(task, request);
}

async function* polled(task: TaskAtWork, request: SendMessageRequest): AsyncGenerator<Received, void, void> {
  if (request.message.taskId === undefined) yield* sent(task, request);
  else yield submitted(task, request);
  if (!isSettled(task.fold)) yield* pollUpdates(task);
}

/** A task with the objects needed to follow it. */
export interface TaskAtWork {
  readonly operationClient: OperationClient;
  readonly scope: CallScope;
  readonly fold: TaskFold;
}

/** Adds the handle of the task to the errors of the call. */
export function about(
  { operationClient, scope, fold }: TaskAtWork,
  taskId: string | undefined,
  messageId?: string,
): void {
  scope.isAbout(() => handleOf(operationClient, fold.taskId ?? taskId), messageId);
}

export function handleOf(operationClient: OperationClient, taskId: string): string;
export function handleOf(operationClient: OperationClient, taskId: string | undefined): string | undefined;
export function handleOf(operationClient: OperationClient, taskId: string | undefined): string | undefined {
  if (taskId === undefined) return undefined;
  const { url, binding, version, tenant } = operationClient.endpoints.current;
  return encodeHandle({ url, binding, version, tenant, taskId, streaming: waysOf(operationClient) === 'stream' });
}

export function waysOf({ card }: OperationClient): 'stream' | 'poll' {
  return card.capabilities.streaming === true ? 'stream' : 'poll';
}

export function isSettled(fold: TaskFold): boolean {
  return fold.isOver || fold.isPaused;
}

/**
 * Reads events until the stream ends or the task asks a question. Returns the last event as the agent sent it. In a follow-up the
 * first event may be the task as it was before, still with the question that the message answers.
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
    if (onProgress !== undefined) notify(onProgress, received);
    const { event } = received;
    // Agents that list their open questions store the answer first.
    isOld &&= 'task' in event && !listsQuestions(event.task);
    if (fold.isPaused && !isOld) break;
    isOld = false;
  }
  return raw;
}

function notify(onProgress: (event: AgentEvent) => unknown, received: Received): void {
  try {
    const result = onProgress(toAgentEvent(received));
    if (result instanceof Promise) result.catch(() => {});
  } catch {
    // An error of the user's callback must not fail the call.
  }
}

export function replyOf({ operationClient, scope, fold }: TaskAtWork, raw: unknown): Reply {
  const traceparent = scope.trace.last;
  if (fold.message !== undefined) return messageReply(fold.message, traceparent, raw);
  const task = fold.task();
  if (task === undefined)
    throw new A2AError('INVALID_AGENT_RESPONSE', 'The agent responded with neither a task nor a message');
  return taskReply(task, handleOf(operationClient, task.id), traceparent, raw);
}

async function* sent(task: TaskAtWork, request: SendMessageRequest): AsyncGenerator<Received, void, void> {
  const { operationClient } = task;
  // 0.1 has no option to return immediately. Leaving a stream after its first event has the same effect.
  if (clientNamesTasks(operationClient.endpoints.current) && waysOf(operationClient) === 'stream')
    return yield* firstOf(streamed(task, request));
  yield submitted(task, atOnce(request));
}

/** Sends a message in one request and applies the response. */
async function submitted({ operationClient, scope, fold }: TaskAtWork, request: SendMessageRequest): Promise<Received> {
  const { value: event, raw } = await operationClient.call('SendMessage', request, scope, request.message.messageId);
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
  const isReopenable = task.operationClient.recognises(request.message.messageId);
  const open = (): Promise<ItemStream> => openStream(task, request);
  return new ResumableStream({ ...task, open, isReopenable, endsWithPause: true }).events();
}

/**
 * Opens a stream. If the card offers streams that the agent does not have, the message is sent without one. The rejection must be
 * certain, because agents also report a stream as unsupported after they have started to work.
 */
async function openStream({ operationClient, scope }: TaskAtWork, request: SendMessageRequest): Promise<ItemStream> {
  const idempotencyKey = request.message.messageId;
  try {
    return await operationClient.open('SendStreamingMessage', request, scope, { idempotencyKey });
  } catch (error) {
    if (!isWithoutStreams(error)) throw error;
    const plain = request.message.taskId === undefined ? atOnce(request) : request;
    return ItemStream.single(await operationClient.call('SendMessage', plain, scope, idempotencyKey));
  }
}

/** An error in a stream comes from an agent that has read the message, and may be the error of a nested call. */
function isWithoutStreams(error: unknown): boolean {
  if (!A2AError.is(error) || isReceivedInStream(error)) return false;
  if (error.code === 'METHOD_NOT_FOUND') return true;
  return error.code === 'UNSUPPORTED_OPERATION' && error.details['capability'] === 'streaming';
}
