import { CallScope, type InternalCallOptions, withScope } from '../client/request/call-scope.ts';
import type { OperationClient } from '../client/request/operation-client.ts';
import { RemoteTask } from '../client/remote-task.ts';
import { DEFAULT_TIMEOUTS } from '../client/settings.ts';
import { TaskFold } from '../client/task/task-fold.ts';
import { questionsOf } from '../client/task-question.ts';
import {
  type Peer,
  type PeerAnswer,
  type PeerCall,
  PeerError,
  type PeerHint,
  type PeerState,
  type PeerUpdate,
} from '../engine/calls/peers.ts';
import { A2AError, type ErrorCode } from '../errors.ts';
import type { SendMessageRequest, SendMessageResponse } from '../model/operation.ts';
import { repeatsLifetimeMs } from '../model/repeats.ts';
import { isTerminal } from '../model/state.ts';
import type { Task } from '../model/task.ts';
import { traceHeaders } from '../observe/trace-context.ts';
import { defined } from '../support/defined.ts';
import { clientNamesTasks } from '../wire/client-dialect.ts';
import type { Decoded } from '../wire/dialect.ts';
import { answerRequest, extensionsFor, startRequest } from './call-request.ts';
import { findTask } from './find-task.ts';
import { credentialsFor } from './identity.ts';
import { toPeerError } from './peer-error.ts';
import type { PeerConnection, UsedClient } from './peer-connection.ts';
import type { PeerOptions } from './peer-options.ts';
import { withQuestionId } from './question-id.ts';
import { updatesOf } from './updates.ts';

/** Keys are not repeated in the last minutes of their lifetime, because the peer may read the message late. */
const KEY_MARGIN_MS = 5 * 60_000;

/** Codes with which peers reject a stream of a task that they can return otherwise. */
const NO_STREAM: ReadonlySet<ErrorCode> = new Set([
  'METHOD_NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'UNSUPPORTED_OPERATION',
  'INVALID_REQUEST',
  'INVALID_PARAMS',
]);

export interface RemotePeerSettings {
  readonly name: string;
  readonly connection: PeerConnection;
  readonly auth: PeerOptions['auth'];
  /** Whether the operator has configured the peer. Others get less data. */
  readonly isConfigured: boolean;
  /** The start of the URL at which peers can notify this host about a call. The id of the call follows. */
  readonly hintUrl: string | undefined;
  /** The clock of the engine. */
  readonly now: () => number;
}

/**
 * An agent on another host, called with the client of this package. Each method makes one attempt, without the retries of the client, because
 * the engine stores when to try again.
 */
export class RemotePeer implements Peer {
  readonly name: string;
  readonly #settings: RemotePeerSettings;

  constructor(settings: RemotePeerSettings) {
    this.name = settings.name;
    this.#settings = settings;
  }

  start(call: PeerCall, signal: AbortSignal): Promise<PeerState> {
    // Peers may ignore that the caller does not want to wait.
    return this.#attempt(call, signal, DEFAULT_TIMEOUTS.task, (used, scope) => this.#send(call, used, scope));
  }

  attach(call: PeerCall, sentAt: number, signal: AbortSignal): Promise<PeerState | undefined> {
    return this.#attempt(call, signal, DEFAULT_TIMEOUTS.task, async (used, scope) => {
      const { operations } = used;
      const endpoint = await operations.endpoints.load();
      if (clientNamesTasks(endpoint)) {
        const found = await operations.call('GetTask', { id: call.id }, scope).catch(undefinedIfUnknown);
        if (found !== undefined) return stateOf(found);
      }
      const lifetimeMs = operations.recognises(call.id) ? repeatsLifetimeMs(operations.card) : 0;
      if (this.#settings.now() - sentAt < lifetimeMs - KEY_MARGIN_MS) return this.#send(call, used, scope);
      if (endpoint.dialect.operations.ListTasks === undefined) return undefined;
      const found = await findTask(operations, scope, call.message);
      return found && { kind: 'task', task: found };
    });
  }

  get(call: PeerCall, taskId: string, signal: AbortSignal): Promise<PeerState> {
    return this.#attempt(call, signal, DEFAULT_TIMEOUTS.request, async ({ operations }, scope) => {
      return stateOf(await operations.call('GetTask', { id: taskId }, scope));
    });
  }

  async follow(
    call: PeerCall,
    taskId: string,
    after: number | undefined,
    signal: AbortSignal,
  ): Promise<AsyncIterable<PeerUpdate> | undefined> {
    const used = await this.#settings.connection.use(signal);
    used.release();
    return used.hasStreams ? this.#updates(call, taskId, after, signal) : undefined;
  }

  answer(call: PeerCall, taskId: string, answer: PeerAnswer, signal: AbortSignal): Promise<PeerState> {
    return this.#attempt(call, signal, DEFAULT_TIMEOUTS.task, async ({ operations }, scope) => {
      const { message, questionId } = answer;
      if (!operations.recognises(message.messageId)) {
        // An earlier attempt may have arrived, and the peer would take its repeat for the answer to the next question.
        const task = taskOf(await operations.call('GetTask', { id: taskId }, scope));
        if (!asks(task, questionId)) return { kind: 'task', task };
      }
      const request = answerRequest(answer, taskId, operations.card);
      return stateOf(await operations.call('SendMessage', request, scope, message.messageId));
    });
  }

  cancel(call: PeerCall, taskId: string, signal: AbortSignal): Promise<PeerState> {
    return this.#attempt(call, signal, DEFAULT_TIMEOUTS.request, async ({ operations }, scope) => {
      try {
        return stateOf(await operations.call('CancelTask', { id: taskId }, scope));
      } catch (error) {
        if (!A2AError.is(error, 'TASK_NOT_CANCELABLE')) throw error;
        const found = await operations.call('GetTask', { id: taskId }, scope);
        if (!isTerminal(found.value.status.state)) throw error;
        return stateOf(found);
      }
    });
  }

  requestHints(call: PeerCall, taskId: string, { callId, token }: PeerHint, signal: AbortSignal): Promise<boolean> {
    return this.#attempt(call, signal, DEFAULT_TIMEOUTS.request, async ({ operations }, scope) => {
      const { hintUrl } = this.#settings;
      if (hintUrl === undefined || operations.card.capabilities.pushNotifications !== true) return false;
      const url = hintUrl + encodeURIComponent(callId);
      try {
        await operations.call('CreateTaskPushNotificationConfig', { taskId, id: callId, url, token }, scope);
        return true;
      } catch (error) {
        const failure = toPeerError(this.name, error);
        if (failure instanceof PeerError && failure.kind === 'rejected') return false;
        throw error;
      }
    });
  }

  /** Sends the message of a call. */
  async #send(call: PeerCall, { operations }: UsedClient, scope: CallScope): Promise<PeerState> {
    const endpoint = await operations.endpoints.load();
    const namesTask = clientNamesTasks(endpoint);
    const request = startRequest(call, {
      card: operations.card,
      sendsLineage: this.#settings.isConfigured,
      taskId: namesTask ? call.id : undefined,
    });
    try {
      // 0.1 has no option to return at once. Its stream starts with the task.
      const isStreamed = namesTask && operations.card.capabilities.streaming === true;
      if (isStreamed) return await firstOfStream(operations, request, scope, call.id);
      return stateOf(await operations.call('SendMessage', request, scope, call.id));
    } catch (error) {
      if (!namesTask || !A2AError.is(error, 'TASK_NOT_FOUND')) throw error;
      // The card was for another version, in which a message names only existing tasks.
      throw new PeerError('unreachable', `${this.name} does not support the version that its card names`, {
        cause: error,
        isUnsent: true,
      });
    }
  }

  async #attempt<T>(
    call: PeerCall,
    signal: AbortSignal,
    timeoutMs: number,
    run: (used: UsedClient, scope: CallScope) => Promise<T>,
  ): Promise<T> {
    const used = await this.#settings.connection.use(signal);
    try {
      const { clock } = used.operations.context.settings;
      const scope = new CallScope(clock, { ...this.#options(used, call, signal), timeoutMs }, timeoutMs);
      return await withScope(scope, () => run(used, scope));
    } catch (error) {
      const isOutdated = used.doubt(error);
      throw isOutdated ? this.#outdated(error) : this.#failure(error, signal);
    } finally {
      used.release();
    }
  }

  /** The peer was replaced by another version since its card was read. It has not processed the request. */
  #outdated(cause: unknown): PeerError {
    const message = `${this.name} has changed; its card is read again`;
    return new PeerError('unreachable', message, { cause, isUnsent: true });
  }

  async *#updates(
    call: PeerCall,
    taskId: string,
    after: number | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<PeerUpdate, void, void> {
    const used = await this.#settings.connection.use(signal);
    try {
      const { client, operations } = used;
      const options = this.#options(used, call, signal);
      const wholeTask = async (): Promise<Task> => {
        const scope = new CallScope(operations.context.settings.clock, options, DEFAULT_TIMEOUTS.request);
        return taskOf(await withScope(scope, () => operations.call('GetTask', { id: taskId }, scope)));
      };
      yield* updatesOf({
        first: after === undefined ? await wholeTask() : undefined,
        events: () => new RemoteTask(client, operations, taskId).subscribe(defined({ ...options, after })),
        wholeTask,
      });
    } catch (error) {
      if (!A2AError.is(error) || !NO_STREAM.has(error.code)) throw this.#failure(error, signal);
      used.hasStreams = false;
    } finally {
      used.release();
    }
  }

  #options({ operations }: UsedClient, call: PeerCall, signal: AbortSignal): InternalCallOptions {
    const { name, auth } = this.#settings;
    const credentials = credentialsFor(name, auth, call, operations.context);
    const extensions = extensionsFor(call, operations.card);
    return { signal, extensions, ...traceHeaders(call.trace), ...(credentials !== undefined && { credentials }) };
  }

  #failure(error: unknown, signal: AbortSignal): unknown {
    return signal.aborted ? signal.reason : toPeerError(this.name, error);
  }
}

/** Returns the state after the first event, and leaves the stream. */
async function firstOfStream(
  operations: OperationClient,
  request: SendMessageRequest,
  scope: CallScope,
  key: string,
): Promise<PeerState> {
  const stream = await operations.open('SendStreamingMessage', request, scope, { idempotencyKey: key });
  try {
    const first = await stream.next();
    const fold = new TaskFold();
    if (first !== undefined) fold.take(first.event);
    if (fold.message !== undefined) return { kind: 'message', message: fold.message };
    const task = fold.task();
    if (task !== undefined) return { kind: 'task', task: withQuestionId(task, first?.raw) };
    throw new A2AError('TRANSPORT_FAILED', 'The stream ended without an event', { details: { sent: 'maybe' } });
  } finally {
    stream.leave();
  }
}

/** Whether a task asks this question. Some peers give their questions no id. */
function asks(task: Task, questionId: string | undefined): boolean {
  return questionsOf(task).some(({ id }) => questionId === undefined || id === questionId);
}

function stateOf({ value, raw }: Pick<Decoded<Task | SendMessageResponse>, 'value' | 'raw'>): PeerState {
  if ('message' in value) return { kind: 'message', message: value.message };
  return { kind: 'task', task: withQuestionId('task' in value ? value.task : value, raw) };
}

function taskOf({ value, raw }: Decoded<Task>): Task {
  return withQuestionId(value, raw);
}

function undefinedIfUnknown(error: unknown): undefined {
  if (!A2AError.is(error, 'TASK_NOT_FOUND')) throw error;
}
