import { A2AError } from '../../errors.ts';
import type { AgentCard } from '../../model/card.ts';
import type { Input, OperationName, Output, StreamingOperation } from '../../model/operation.ts';
import { recognisesRepeats } from '../../model/repeats.ts';
import { isTerminal } from '../../model/state.ts';
import type { Task } from '../../model/task.ts';
import type { Decoded } from '../../wire/dialect.ts';
import { notJson, parseJson } from './binding.ts';
import type { CallScope } from './call-scope.ts';
import { AuthAttempt } from '../auth/credentials.ts';
import { bindingOf, type Endpoint } from './endpoint.ts';
import type { Endpoints } from './endpoints.ts';
import { exchange, type ClientContext } from './exchange.ts';
import { closedDuringCall, NoAgent, toPublicError } from './failures.ts';
import type { OutgoingRequest } from './interceptor.ts';
import { ItemStream } from '../task/item-stream.ts';
import { Recovery } from './recovery.ts';
import { responseError, noteFailure } from './response-error.ts';
import { TransportFailure, type OutboundResponse } from '../../support/http-client/http-client.ts';

/** Message ids that can be sent as a header. For other ids no key is sent; the agent may still deduplicate by message id. */
const KEY = /^[\x21-\x7e]{1,255}$/;

/** The properties of one request of a call. */
interface RequestFacts {
  /** The peer may receive this request twice without acting twice. */
  readonly isRepeatable: boolean;
  readonly idempotencyKey?: string | undefined;
  readonly lastEventId?: string | undefined;
  /** Overrides the HTTP method of the binding. */
  readonly httpMethod?: 'GET';
}

/** One attempt at an operation. */
interface Attempt {
  readonly endpoint: Endpoint;
  readonly scope: CallScope;
  readonly auth: AuthAttempt | undefined;
  readonly facts: RequestFacts;
}

/** Operations that can safely be repeated. */
const SAFE_TO_REPEAT = new Set<OperationName>([
  'GetTask',
  'ListTasks',
  'CancelTask',
  'SubscribeToTask',
  'GetTaskPushNotificationConfig',
  'ListTaskPushNotificationConfigs',
  'DeleteTaskPushNotificationConfig',
  'GetExtendedAgentCard',
]);

/** Performs operations at the agent: chooses the endpoint, and retries if that may help and is safe. */
export class OperationClient {
  readonly context: ClientContext;
  readonly endpoints: Endpoints;
  /** The public card, or the extended card once it was fetched. */
  card: AgentCard;
  /** The open streams. */
  readonly followers = new Set<{ endWith(found: Decoded<Task>): void }>();
  /** Endpoints at which a subscription over REST must be a GET. */
  readonly #subscribesByGet = new WeakSet<Endpoint>();

  constructor(context: ClientContext, endpoints: Endpoints, card: AgentCard) {
    this.context = context;
    this.endpoints = endpoints;
    this.card = card;
  }

  /** @throws A2AError with the error of the agent, or with the reason why there is no response. */
  call<K extends OperationName>(
    operation: K,
    input: Input<K>,
    scope: CallScope,
    key?: string,
  ): Promise<Decoded<Output<K>>> {
    const facts = { isRepeatable: this.#isRepeatable(operation, key), idempotencyKey: key };
    return this.#persist(scope, facts, async (attempt) => {
      const response = await this.#request(attempt, operation, input);
      return this.#read(attempt.endpoint, operation, response);
    });
  }

  /** Opens a stream. Later failures are thrown when the stream is read. */
  open(
    operation: StreamingOperation,
    input: Input<StreamingOperation>,
    scope: CallScope,
    more: Partial<RequestFacts> = {},
  ): Promise<ItemStream> {
    const facts = { isRepeatable: this.#isRepeatable(operation, more.idempotencyKey), ...more };
    return this.#persist(scope, facts, async (attempt) => {
      const { endpoint } = attempt;
      const response =
        operation === 'SubscribeToTask' && endpoint.binding === 'HTTP+JSON'
          ? await this.#subscribeOverRest(attempt, input as Input<'SubscribeToTask'>)
          : await this.#request(attempt, operation, input);
      const isStream = /^text\/event-stream\b/i.test(response.header('content-type') ?? '');
      if (isStream && response.status < 300) {
        return ItemStream.of(response, endpoint, operation, this.context).begin();
      }
      // An error, or an agent that responds with a single result instead of a stream.
      return ItemStream.single(await this.#read(endpoint, operation, response));
    });
  }

  /** Ends the streams of a task that has ended, because agents may leave them open. */
  reportEnd(found: Decoded<Task>): void {
    if (!isTerminal(found.value.status.state)) return;
    for (const follower of this.followers) follower.endWith(found);
  }

  /** Whether the agent deduplicates messages, according to the user or the card. */
  recognises(key: string): boolean {
    return KEY.test(key) && (this.context.settings.recognisesRepeats ?? recognisesRepeats(this.card));
  }

  #isRepeatable(operation: OperationName, key: string | undefined): boolean {
    return SAFE_TO_REPEAT.has(operation) || (key !== undefined && this.recognises(key));
  }

  async #persist<T>(scope: CallScope, facts: RequestFacts, run: (attempt: Attempt) => Promise<T>): Promise<T> {
    const { deadline } = scope;
    const { context } = this;
    const auth = AuthAttempt.of(scope.credentials ?? context.credentials, this.card);
    scope.begin(context.closing);
    let recovery: Recovery | undefined;
    let missing: { readonly error: unknown; readonly url: string } | undefined;
    for (;;) {
      const endpoint = this.endpoints.ready ?? (await this.endpoints.load());
      try {
        deadline.check();
        const result = await run({ endpoint, scope, auth, facts });
        this.endpoints.confirm(endpoint);
        deadline.noteSuccess();
        return result;
      } catch (error) {
        if (deadline.aborted) throw deadline.explain(error);
        if (context.closing.aborted && error instanceof TransportFailure) throw closedDuringCall(error.sent, error);
        noteFailure(deadline, error, endpoint.url);
        // An error at the address in the card is more helpful than one at a guessed address.
        if (isMissing(error)) missing ??= { error, url: endpoint.url };
        recovery ??= new Recovery(context.settings, this.endpoints, scope, auth, facts.isRepeatable);
        if (await recovery.recover(error, endpoint)) continue;
        if (isUnsupported(error, endpoint, this.endpoints)) throw unsupported(error);
        if (missing !== undefined && isMissing(error)) throw toPublicError(missing.error, missing.url);
        throw toPublicError(error, endpoint.url);
      }
    }
  }

  /** Subscribes by POST (specification text), then by GET (proto file), because some agents support only one of them. */
  async #subscribeOverRest(attempt: Attempt, input: Input<'SubscribeToTask'>): Promise<OutboundResponse> {
    const { endpoint, facts } = attempt;
    if (!this.#subscribesByGet.has(endpoint)) {
      const response = await this.#request(attempt, 'SubscribeToTask', input);
      const mayGet = response.status === 405 && /\bGET\b/i.test(response.header('allow') ?? 'GET');
      if (!mayGet) return response;
      response.discard();
    }
    const byGet: Attempt = { ...attempt, facts: { ...facts, httpMethod: 'GET' } };
    const response = await this.#request(byGet, 'SubscribeToTask', input);
    if (response.status < 300) this.#subscribesByGet.add(endpoint);
    else if (response.status === 405) this.#subscribesByGet.delete(endpoint);
    return response;
  }

  #request<K extends OperationName>(attempt: Attempt, operation: K, input: Input<K>): Promise<OutboundResponse> {
    const { endpoint, scope, auth } = attempt;
    const { idempotencyKey, lastEventId, httpMethod } = attempt.facts;
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
    if (this.context.settings.extensions.length > 0 || scope.extensions.length > 0) {
      const extensions = [...this.context.settings.extensions, ...scope.extensions].join(', ');
      headers['a2a-extensions'] = extensions;
      // The name of the header before 1.0.
      if (dialect.isModel !== true) headers['x-a2a-extensions'] = extensions;
    }
    const request: OutgoingRequest = { operation, method: httpMethod ?? method, url, headers, body };
    return exchange(this.context, scope, request, auth);
  }

  /** Reports JSON with another content type. The client can decode it, but proxies and browsers may not. */
  #checkType(type: string | undefined): void {
    if (type === undefined || /[/+]json\b/i.test(type)) return;
    const { strict, warn } = this.context.settings;
    const description = `expected a JSON content type, got ${JSON.stringify(type.slice(0, 100))}`;
    if (strict) throw new A2AError('INVALID_AGENT_RESPONSE', `Invalid response in strict mode: ${description}`);
    warn([{ code: 'content-type', field: '', description }]);
  }

  async #read<K extends OperationName>(
    endpoint: Endpoint,
    operation: K,
    response: OutboundResponse,
  ): Promise<Decoded<Output<K>>> {
    const { limits, read, clock, warn } = this.context.settings;
    const text = await response.text(limits.maxAnswerBytes, 'limits.maxAnswerBytes');
    const json = text === '' ? undefined : parseJson(text);
    if (json === undefined && text !== '' && response.status < 300)
      throw notJson(response.status, response.header('content-type'));
    try {
      const decoded = bindingOf(endpoint).result(endpoint, operation, { status: response.status, json }, read);
      warn(decoded.warnings);
      if (response.status < 300) this.#checkType(response.header('content-type'));
      return decoded;
    } catch (error) {
      throw responseError(error, response, clock.now());
    }
  }
}

/** Whether an agent that has responded at this endpoint before does not have the operation. */
function isUnsupported(error: unknown, endpoint: Endpoint, endpoints: Endpoints): error is NoAgent {
  const isWrongMethod = error instanceof NoAgent && error.status === 405;
  return isWrongMethod && endpoint.binding === 'HTTP+JSON' && endpoints.isConfirmed(endpoint);
}

function unsupported({ url }: NoAgent): A2AError {
  return new A2AError(
    'UNSUPPORTED_OPERATION',
    `The agent at ${url} responded with 405: it does not support this operation over REST`,
  );
}

function isMissing(error: unknown): boolean {
  return error instanceof NoAgent || (error instanceof TransportFailure && error.sent === 'no');
}

function accepted(operation: OperationName, mediaType: string): string {
  const json = mediaType === 'application/json' ? mediaType : `${mediaType}, application/json`;
  return operation === 'SendStreamingMessage' || operation === 'SubscribeToTask' ? `text/event-stream, ${json}` : json;
}
