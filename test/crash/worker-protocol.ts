import type { Message } from '../../src/model/message.ts';
import type { Task } from '../../src/model/task.ts';
import type { Kind, Mode } from './handlers.ts';

/** A request of a client, and what the client knows about its task. */
export interface ClientRequest {
  /** The idempotency key of the request. A client that does not know the outcome repeats the request with it. */
  readonly key: string;
  readonly kind: Kind;
  readonly mode: Mode;
  /** Whether its questions are answered by the last process only. */
  readonly isAnswerDelayed: boolean;
  /** Whether it has a push config. */
  readonly isPushed: boolean;
  /** Present once the task was acknowledged. */
  readonly taskId?: string;
  /** The number of the last event that its subscriber has received. */
  readonly last: number;
  /** Whether its subscriber has received an artifact. */
  readonly hasOutput: boolean;
}

/** The body of a push notification. */
export interface PushMessage {
  readonly id: string;
  readonly taskId: string;
  readonly number: number;
  readonly body: string;
  /** The process id of the sender. */
  readonly pid: number;
  readonly sentAt: number;
}

/** A push notification with the time of its arrival. */
export interface ArrivedPush extends PushMessage {
  readonly arrivedAt: number;
}

/** The request, updated with a report about it. */
export function requestAfter(request: ClientRequest, report: Report): ClientRequest {
  if (report.t === 'task') return { ...request, taskId: report.taskId };
  if (report.t !== 'item' || report.subscriber !== 'own') return request;
  const { number, body, task } = report;
  const hasOutput =
    request.hasOutput || body?.startsWith('{"artifactUpdate"') === true || task?.artifacts !== undefined;
  return { ...request, last: number, hasOutput };
}

/** The instructions for a worker process. */
export interface WorkerInstructions {
  /** The path of a file, or the address of a database that other processes use too. */
  readonly database: string;
  /** The prefix of the keys of requests, so that processes do not use the same keys. */
  readonly prefix: string;
  /** The file to which steps append their traces. */
  readonly traces: string;
  /** The address of the receiver of push notifications. */
  readonly receiver: string;
  /** The requests of earlier processes that have not ended. */
  readonly requests: readonly ClientRequest[];
  /** The number of the first new request. */
  readonly firstRequest: number;
  /** The number of new requests. After the last one the engine is closed, even if tasks are running. */
  readonly begin: number;
  /** Whether all tasks end before the engine is closed. */
  readonly finish: boolean;
  readonly maxSuspended: number;
  /** The process kills itself at the n-th call of this fault point. */
  readonly killAt?: { readonly point: string; readonly occurrence: number };
}

/** A line that a worker writes: after the engine has acknowledged the fact, and before the client acts on it. */
export type Report =
  /** The engine has started. */
  | { readonly t: 'open' }
  | { readonly t: 'begin'; readonly request: ClientRequest }
  /** The engine has acknowledged the task. */
  | { readonly t: 'task'; readonly key: string; readonly taskId: string; readonly task?: Task }
  /** The response is a message without a task. */
  | { readonly t: 'reply'; readonly key: string; readonly message: Message }
  /** A subscriber received an event, or a snapshot of the task with all events up to a number. */
  | {
      readonly t: 'item';
      readonly key: string;
      readonly subscriber: string;
      readonly number: number;
      readonly body?: string;
      readonly task?: Task;
    }
  /** A message to the task was accepted. */
  | { readonly t: 'accepted'; readonly key: string; readonly messageId: string; readonly task: Task }
  | { readonly t: 'canceled'; readonly key: string; readonly task: Task }
  /** The task waits for an answer that this process does not send. */
  | { readonly t: 'unanswered'; readonly key: string; readonly task: Task }
  /** The subscriber has received the last event. */
  | { readonly t: 'ended'; readonly key: string; readonly task: Task }
  /** An unexpected error. */
  | { readonly t: 'error'; readonly about: string; readonly error: string }
  /** The engine and its store are closed. */
  | { readonly t: 'closed' };
