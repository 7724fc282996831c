/** Calls over JSON-RPC, without the client of any version. */
import type { StreamResponse } from '../../src/model/event.ts';
import type { Part } from '../../src/model/part.ts';
import type { Task } from '../../src/model/task.ts';
import { readSse } from '../helpers/read-sse.ts';

export type CallerName = 'ann' | 'bob' | 'cleo';

/** The bearer tokens of the callers. */
export const TOKENS: Readonly<Record<CallerName, string>> = {
  ann: 'token-of-ann',
  bob: 'token-of-bob',
  cleo: 'token-of-cleo',
};

/** The id of the task that was created in the 0.1 format. */
export const CHOSEN_ID = 'chosen-by-cleo';

/** An event of a task, as a subscriber gets it. */
export interface NumberedEvent {
  readonly number: number;
  readonly event: StreamResponse;
}

export interface SendOptions {
  readonly taskId?: string;
  readonly idempotencyKey?: string;
  /** The URL of a receiver of push notifications. */
  readonly webhook?: string;
}

/** The extension that returns the state changes of a task. */
const TRANSITIONS = 'urn:tandem-a2a:transitions:1';

/** A state that a task has entered, and when. */
export interface Transition {
  readonly state: string;
  readonly timestamp: string;
}

/** A task in the 0.1 format. */
export interface OldTask {
  readonly id: string;
  readonly status: { readonly state: string };
  readonly artifacts?: readonly { readonly parts: readonly object[] }[];
}

export class Caller {
  readonly #name: CallerName;
  readonly #url: string;
  readonly #fetch: (request: Request) => Promise<Response>;

  constructor(name: CallerName, url: string, send: (request: Request) => Promise<Response> = fetch) {
    this.#name = name;
    this.#url = url;
    this.#fetch = send;
  }

  /** Sends a message in the 0.1 format, where the caller chooses the id of a task, and waits until the task ends or pauses. */
  sendOld(id: string, text: string): Promise<OldTask> {
    const params = { id, message: { role: 'user', parts: [{ type: 'text', text }] } };
    return this.call('tasks/send', params, { 'a2a-version': '0.1' });
  }

  getOld(id: string): Promise<OldTask> {
    return this.call('tasks/get', { id }, { 'a2a-version': '0.1' });
  }

  /** Sends a message and does not wait for its task to end or to pause. */
  async send(content: string | Part, options: SendOptions = {}): Promise<Task> {
    const part = typeof content === 'string' ? { text: content } : content;
    const { taskId, idempotencyKey, webhook } = options;
    // A message is recognized by its id, so that a repeated one is sent with the same id.
    const messageId = `${taskId ?? 'first'} ${JSON.stringify(content)}`;
    const message = { messageId, role: 'ROLE_USER', parts: [part], ...(taskId !== undefined && { taskId }) };
    const push = webhook !== undefined && { taskPushNotificationConfig: { id: 'webhook', url: webhook } };
    const params = { message, configuration: { returnImmediately: true, ...push } };
    const headers = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };
    return (await this.call<{ readonly task: Task }>('SendMessage', params, headers)).task;
  }

  get(id: string): Promise<Task> {
    return this.call('GetTask', { id });
  }

  async transitions(id: string): Promise<readonly Transition[]> {
    const { metadata = {} } = await this.call<Task>('GetTask', { id }, { 'a2a-extensions': TRANSITIONS });
    const { transitions } = metadata[TRANSITIONS] as unknown as { readonly transitions: readonly Transition[] };
    return transitions;
  }

  list(): Promise<{ readonly tasks: readonly Task[] }> {
    return this.call('ListTasks', { pageSize: 100, includeArtifacts: true });
  }

  cancel(id: string): Promise<Task> {
    return this.call('CancelTask', { id });
  }

  /** The events of a task after a number, until it ends or the loop does. */
  async *events(id: string, after: number): AsyncGenerator<NumberedEvent, void, void> {
    const response = await this.#post('SubscribeToTask', { id }, { 'last-event-id': String(after) });
    if (response.body === null) throw new Error('Expected a stream');
    for await (const { id: number, data } of readSse(response.body)) {
      const { result, error } = JSON.parse(data) as { readonly result: StreamResponse; readonly error?: object };
      if (error !== undefined) throw new Error(JSON.stringify(error));
      yield { number: Number(number), event: result };
    }
  }

  /** Calls in the 1.0 format, unless the headers name another version. */
  async call<T>(method: string, params: object, headers?: Readonly<Record<string, string>>): Promise<T> {
    const response = await this.#post(method, params, headers);
    const { result, error } = (await response.json()) as { readonly result: T; readonly error?: object };
    if (error !== undefined) throw new Error(JSON.stringify(error));
    return result;
  }

  #post(method: string, params: object, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    return this.#fetch(
      new Request(`${this.#url}/a2a`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'a2a-version': '1.0',
          ...headers,
          authorization: `Bearer ${TOKENS[this.#name]}`,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      }),
    );
  }
}
