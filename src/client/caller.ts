import { A2AError } from '../errors.ts';
import type { AgentCard } from '../model/card.ts';
import type { Input, OperationName, Output, StreamingOperation } from '../model/operation.ts';
import { recognisesRepeats } from '../model/repeats.ts';
import { isTerminal } from '../model/state.ts';
import type { Task } from '../model/task.ts';
import type { Decoded } from '../wire/dialect.ts';
import { bindingOf, notJson, parseJson } from './binding.ts';
import type { CallScope } from './call-scope.ts';
import { AuthAttempt } from './credentials.ts';
import type { Endpoint } from './endpoint.ts';
import type { Endpoints } from './endpoints.ts';
import { exchange, type Passage, type Wiring } from './exchange.ts';
import { NotHere, toPublicError } from './failures.ts';
import type { OutgoingRequest } from './interceptor.ts';
import { ItemStream } from './item-stream.ts';
import { Recovery } from './recovery.ts';
import { answerError } from './response-error.ts';
import { TransportFailure, type TransportResponse } from './transport/transport.ts';

/** What fits into a header. Ids of messages may be anything; without a key the agent may still know them by the id. */
const KEY = /^[\x21-\x7e]{1,255}$/;

/** What belongs to one request of a call. */
interface RequestFacts {
  /** The peer may get this request twice without doing anything twice. */
  readonly isRepeatable: boolean;
  readonly idempotencyKey?: string | undefined;
  readonly lastEventId?: string | undefined;
  /** Replaces the HTTP method that the binding has for the operation. */
  readonly httpMethod?: 'GET';
}

/** Operations that change nothing when they come twice. */
const HARMLESS = new Set<OperationName>([
  'GetTask',
  'ListTasks',
  'CancelTask',
  'SubscribeToTask',
  'GetTaskPushNotificationConfig',
  'ListTaskPushNotificationConfigs',
  'DeleteTaskPushNotificationConfig',
  'GetExtendedAgentCard',
]);

/** Performs operations at the agent: chooses the endpoint, and tries again where that helps and cannot do harm. */
export class Caller {
  readonly wiring: Wiring;
  readonly endpoints: Endpoints;
  /** Replaced by the extended card, once that is known. */
  card: AgentCard;
  /** The streams that are open. */
  readonly followers = new Set<{ endWith(found: Decoded<Task>): void }>();
  /** Where a subscription over REST has to be a GET. */
  readonly #subscribesByGet = new WeakSet<Endpoint>();

  constructor(wiring: Wiring, endpoints: Endpoints, card: AgentCard) {
    this.wiring = wiring;
    this.endpoints = endpoints;
    this.card = card;
  }

  /** @throws A2AError that the agent answered with or that says why there is no answer. */
  call<K extends OperationName>(
    operation: K,
    input: Input<K>,
    scope: CallScope,
    key?: string,
  ): Promise<Decoded<Output<K>>> {
    const facts = { isRepeatable: this.#isRepeatable(operation, key), idempotencyKey: key };
    return this.#persist(scope, facts, async (endpoint, passage) => {
      const response = await this.#request(endpoint, operation, input, passage, scope, facts);
      return this.#read(endpoint, operation, response);
    });
  }

  /** Opens a stream. What happens to it afterwards is for its reader to see. */
  open(
    operation: StreamingOperation,
    input: Input<StreamingOperation>,
    scope: CallScope,
    more: Partial<RequestFacts> = {},
  ): Promise<ItemStream> {
    const facts = { isRepeatable: this.#isRepeatable(operation, more.idempotencyKey), ...more };
    return this.#persist(scope, facts, async (endpoint, passage) => {
      let response: TransportResponse;
      if (operation === 'SubscribeToTask' && endpoint.binding === 'HTTP+JSON') {
        response = await this.#subscribeOverRest(endpoint, input as Input<'SubscribeToTask'>, passage, scope, facts);
      } else {
        response = await this.#request(endpoint, operation, input, passage, scope, facts);
      }
      const isStream = /^text\/event-stream\b/i.test(response.header('content-type') ?? '');
      if (isStream && response.status < 300) {
        return ItemStream.of(response, endpoint, operation, this.wiring).begin();
      }
      // An error, or an agent that has only one thing to say and says it without a stream.
      return ItemStream.single(await this.#read(endpoint, operation, response));
    });
  }

  /** Ends the streams of a task that has ended, although the agent may leave them open. */
  reportEnd(found: Decoded<Task>): void {
    if (!isTerminal(found.value.status.state)) return;
    for (const follower of this.followers) follower.endWith(found);
  }

  /** Whether the agent does a message once, however often it comes: the user says so, or the card does. */
  recognises(key: string): boolean {
    return KEY.test(key) && (this.wiring.settings.recognisesRepeats ?? recognisesRepeats(this.card));
  }

  #isRepeatable(operation: OperationName, key: string | undefined): boolean {
    return HARMLESS.has(operation) || (key !== undefined && this.recognises(key));
  }

  async #persist<T>(
    scope: CallScope,
    facts: RequestFacts,
    attempt: (endpoint: Endpoint, passage: Passage) => Promise<T>,
  ): Promise<T> {
    const { deadline, trace } = scope;
    const { wiring, card } = this;
    const auth = wiring.credentials === undefined ? undefined : new AuthAttempt();
    const passage: Passage = { deadline, trace, auth, card };
    let recovery: Recovery | undefined;
    let missing: { readonly error: unknown; readonly url: string } | undefined;
    for (;;) {
      const endpoint = this.endpoints.ready ?? (await this.endpoints.load());
      try {
        deadline.check();
        const result = await attempt(endpoint, passage);
        this.endpoints.confirm(endpoint);
        return result;
      } catch (error) {
        if (deadline.aborted) throw deadline.explain(error);
        // Where the agent should be says more than where it might have been.
        if (isMissing(error)) missing ??= { error, url: endpoint.url };
        recovery ??= new Recovery(wiring, this.endpoints, passage, facts.isRepeatable);
        if (await recovery.recover(error, endpoint)) continue;
        if (isUnsupported(error, endpoint, this.endpoints)) throw unsupported(error);
        if (missing !== undefined && isMissing(error)) throw toPublicError(missing.error, missing.url);
        throw toPublicError(error, endpoint.url);
      }
    }
  }

  /** Subscribing is POST in the text of the protocol and GET in its definition, and some agents have only one of them. */
  async #subscribeOverRest(
    endpoint: Endpoint,
    input: Input<'SubscribeToTask'>,
    passage: Passage,
    scope: CallScope,
    facts: RequestFacts,
  ): Promise<TransportResponse> {
    if (!this.#subscribesByGet.has(endpoint)) {
      const response = await this.#request(endpoint, 'SubscribeToTask', input, passage, scope, facts);
      const mayGet = response.status === 405 && /\bGET\b/i.test(response.header('allow') ?? 'GET');
      if (!mayGet) return response;
      response.discard();
    }
    const byGet: RequestFacts = { ...facts, httpMethod: 'GET' };
    const response = await this.#request(endpoint, 'SubscribeToTask', input, passage, scope, byGet);
    if (response.status < 300) this.#subscribesByGet.add(endpoint);
    else if (response.status === 405) this.#subscribesByGet.delete(endpoint);
    return response;
  }

  #request<K extends OperationName>(
    endpoint: Endpoint,
    operation: K,
    input: Input<K>,
    passage: Passage,
    scope: CallScope,
    { idempotencyKey, lastEventId, httpMethod }: RequestFacts,
  ): Promise<TransportResponse> {
    const { dialect, version, tenant } = endpoint;
    const { method, url, contentType, body } = bindingOf(endpoint).encode(
      endpoint,
      operation,
      tenant === undefined ? input : { ...input, tenant },
    );
    const headers: Record<string, string> = { accept: accepted(operation, dialect.mediaType), 'a2a-version': version };
    if (contentType !== undefined) headers['content-type'] = contentType;
    if (idempotencyKey !== undefined && KEY.test(idempotencyKey)) headers['idempotency-key'] = idempotencyKey;
    if (lastEventId !== undefined) headers['last-event-id'] = lastEventId;
    if (this.wiring.settings.extensions.length > 0 || scope.extensions.length > 0) {
      const extensions = [...this.wiring.settings.extensions, ...scope.extensions].join(', ');
      headers['a2a-extensions'] = extensions;
      // The name that it had before 1.0.
      if (dialect.isModel !== true) headers['x-a2a-extensions'] = extensions;
    }
    const request: OutgoingRequest = { operation, method: httpMethod ?? method, url, headers, body };
    return exchange(this.wiring, passage, request);
  }

  /** What is JSON can be read whatever it is called, but a proxy or a browser may think otherwise. */
  #checkType(type: string | undefined): void {
    if (type === undefined || /[/+]json\b/i.test(type)) return;
    const { strict, warn } = this.wiring.settings;
    const description = `the agent calls its JSON ${JSON.stringify(type.slice(0, 100))}`;
    if (strict)
      throw new A2AError('INVALID_AGENT_RESPONSE', `In strict mode an answer is JSON by name: ${description}`);
    warn([{ code: 'content-type', field: '', description }]);
  }

  async #read<K extends OperationName>(
    endpoint: Endpoint,
    operation: K,
    response: TransportResponse,
  ): Promise<Decoded<Output<K>>> {
    const { limits, read, clock, warn } = this.wiring.settings;
    const text = await response.text(limits.maxAnswerBytes);
    const json = text === '' ? undefined : parseJson(text);
    if (json === undefined && text !== '' && response.status < 300)
      throw notJson(response.status, response.header('content-type'));
    try {
      const decoded = bindingOf(endpoint).result(endpoint, operation, { status: response.status, json }, read);
      warn(decoded.warnings);
      if (response.status < 300) this.#checkType(response.header('content-type'));
      return decoded;
    } catch (error) {
      throw answerError(error, response, clock.now());
    }
  }
}

/** An agent that has answered at this address is there: it only does not have the operation. */
function isUnsupported(error: unknown, endpoint: Endpoint, endpoints: Endpoints): error is NotHere {
  const isWrongMethod = error instanceof NotHere && error.status === 405;
  return isWrongMethod && endpoint.binding === 'HTTP+JSON' && endpoints.isConfirmed(endpoint);
}

function unsupported({ url }: NotHere): A2AError {
  return new A2AError(
    'UNSUPPORTED_OPERATION',
    `The agent at ${url} answered 405: it does not have this operation over REST`,
  );
}

function isMissing(error: unknown): boolean {
  return error instanceof NotHere || (error instanceof TransportFailure && error.sent === 'no');
}

function accepted(operation: OperationName, mediaType: string): string {
  const json = mediaType === 'application/json' ? mediaType : `${mediaType}, application/json`;
  return operation === 'SendStreamingMessage' || operation === 'SubscribeToTask' ? `text/event-stream, ${json}` : json;
}
