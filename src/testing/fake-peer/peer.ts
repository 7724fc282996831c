import { A2AError } from '../../errors.ts';
import type { AgentCard } from '../../model/card.ts';
import { isStreaming } from '../../model/operation.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Task } from '../../model/task.ts';
import { type HttpResponse, JSON_HEADERS, jsonResponse } from '../../host/http.ts';
import { type Clock, systemClock } from '../../support/time/clock.ts';
import type { LeaveSignal } from '../../support/leave-signal.ts';
import { encodeCard } from '../../wire/card/served/card-forms.ts';
import type { Offer } from '../../wire/offer.ts';
import { ConnectionDropped, silence } from '../in-process.ts';
import type { LoopbackRequest } from '../loopback-server.ts';
import type { ScriptedAnswer } from './answer.ts';
import type { DelayFault, Fault, FaultPlan, StatusFault } from './faults.ts';
import { faultyAnswer } from './faulty-answer.ts';
import { type ReadRequest, readRest, readRpc, streamAnswer } from './peer-binding.ts';
import { type PeerRequest, repeatKey, RequestLog } from './request-log.ts';
import { ScriptedAgent } from './scripted-agent.ts';
import { trimEndOf } from '../../support/trim-end.ts';
import type { ProtocolVersion } from '../../wire/version.ts';

/** Options of `fakePeer()`. */
export interface FakePeerOptions {
  /** The only protocol version of the peer. Default: `1.0`. */
  readonly version?: ProtocolVersion;
  /** The only binding of the peer. Default: `JSONRPC`. REST requires version 0.3 or later. */
  readonly binding?: 'JSONRPC' | 'HTTP+JSON';
  /** One response for each message; the last one is used for all further messages. Default: the peer echoes the text. */
  readonly script?: readonly ScriptedAnswer[];
  /** The faults to inject. Each request takes the first fault that applies to it. */
  readonly faults?: readonly Fault[];
  /** Members that replace those of the default card. */
  readonly card?: Partial<AgentCard>;
  /** Changes the encoded card, for tests with invalid cards. */
  readonly writeCard?: (json: JsonObject) => unknown;
  /** Members in which the extended card differs from the card. If not set, there is no extended card. */
  readonly extendedCard?: Partial<AgentCard>;
  /** The path of the interface. Default: `/a2a`. */
  readonly path?: string;
  /** Whether the peer supports streams. Default: true. */
  readonly streaming?: boolean;
  /** Whether the peer stores push configs. It never delivers notifications. Default: true. */
  readonly pushNotifications?: boolean;
  /** Whether the peer numbers its events and resumes after `Last-Event-ID`. Default: false, like most peers. */
  readonly numbersEvents?: boolean;
  /** Whether the peer recognises a repeated message and returns the first response without acting again. Default: false. */
  readonly recognisesRepeats?: boolean;
  /** Whether a send returns before its task has ended, even if the caller asks to wait. Default: false. */
  readonly answersAtOnce?: boolean;
  /** The format of REST in version 0.3 for requests that do not show theirs. Default: `proto`. */
  readonly restStyle?: 'proto' | 'kind' | 'kind-bare';
  /** The clock for delays and timestamps. Default: the system clock. */
  readonly clock?: Clock;
}

/** Responds to HTTP requests by the script and the faults. */
export class Peer {
  readonly #options: FakePeerOptions;
  readonly #version: ProtocolVersion;
  readonly #path: string;
  readonly #offer: Offer;
  readonly #clock: Clock;
  readonly #faults: FaultPlan;
  readonly #log = new RequestLog();
  readonly #agent: ScriptedAgent;

  constructor(options: FakePeerOptions, faults: FaultPlan) {
    const { version = '1.0', path = '/a2a', clock = systemClock, restStyle } = options;
    this.#options = options;
    this.#version = version;
    this.#path = trimEndOf(path, '/');
    this.#offer = { versions: [version], ...(restStyle !== undefined && { restStyle }) };
    this.#clock = clock;
    this.#faults = faults;
    this.#agent = new ScriptedAgent({
      script: options.script ?? [({ text }) => text],
      streaming: options.streaming ?? true,
      pushNotifications: options.pushNotifications ?? true,
      answersAtOnce: options.answersAtOnce ?? false,
      now: () => clock.now(),
    });
  }

  get requests(): readonly PeerRequest[] {
    return this.#log.requests;
  }

  get tasks(): readonly Task[] {
    return this.#agent.tasks;
  }

  get doubleSends(): readonly string[] {
    return this.#log.doubleSends;
  }

  /** `url` is where the peer listens. */
  async answer(request: LoopbackRequest, url: string): Promise<HttpResponse> {
    const isCard = request.method === 'GET' && request.path.startsWith('/.well-known/');
    const read = isCard ? undefined : this.#read(request);
    const asked = isCard ? 'card' : read?.operation;
    const noteProcessed = this.#log.add(request, asked, read);
    const fault = asked === undefined ? undefined : this.#faults.take(asked);
    if (fault?.fault === 'status') return replaced(fault);
    if (fault?.fault === 'drop' && fault.when === 'before-acting')
      throw new ConnectionDropped('Dropped before processing');
    const answer =
      read === undefined ? this.#card(request.path, url) : await this.#act(request, read, url, noteProcessed);
    await this.#holdBack(answer, fault, request.signal);
    return faultyAnswer(answer, fault, request.signal);
  }

  #read(request: LoopbackRequest): ReadRequest | undefined {
    const { path } = request;
    if (this.#options.binding === 'HTTP+JSON') {
      return path.startsWith(`${this.#path}/`)
        ? readRest(request, path.slice(this.#path.length), this.#offer)
        : undefined;
    }
    return request.method === 'POST' && trimEndOf(path, '/') === this.#path ? readRpc(request, this.#offer) : undefined;
  }

  /** Applies the faults between processing and response. */
  async #holdBack({ body }: HttpResponse, fault: Fault | undefined, signal: LeaveSignal): Promise<void> {
    switch (fault?.fault) {
      case 'delay':
        return this.#delay(fault, signal);
      case 'silence':
        if (fault.afterEvents === undefined || typeof body !== 'object') await silence(signal);
        return;
      case 'drop':
        if (fault.when !== 'while-answering') throw new ConnectionDropped('Dropped before the response');
        return;
      default:
    }
  }

  async #delay({ ms, until }: DelayFault, signal: LeaveSignal): Promise<void> {
    let cancelTimer = (): void => {};
    const past = new Promise<void>((resolve) => {
      if (ms === undefined) resolve();
      else cancelTimer = this.#clock.callAt(this.#clock.now() + ms, resolve);
    });
    try {
      await Promise.race([Promise.all([past, until]), silence(signal)]);
    } finally {
      cancelTimer();
    }
  }

  async #act(
    request: LoopbackRequest,
    read: ReadRequest,
    url: string,
    noteProcessed: () => void,
  ): Promise<HttpResponse> {
    try {
      if (read.operation === undefined) throw read.error;
      const { operation, input, dialect } = read;
      const { numbersEvents = false, recognisesRepeats = false } = this.#options;
      const lastEventId = numbersEvents ? request.headers['last-event-id'] : undefined;
      const context = {
        dialect,
        lastEventId,
        signal: request.signal,
        extendedCard: this.#extendedCard(url),
        noteProcessed,
      };
      const key = recognisesRepeats ? repeatKey(request, read) : undefined;
      const answer = isStreaming(operation)
        ? streamAnswer(await this.#agent.stream(operation, input, context, key), read, operation, numbersEvents)
        : read.result(await this.#agent.answer(operation, input, context, key));
      if (!('message' in input)) noteProcessed();
      return answer;
    } catch (error) {
      if (A2AError.is(error)) return read.failure(error);
      throw error;
    }
  }

  #card(path: string, url: string): HttpResponse {
    if (path !== cardPath(this.#version)) return jsonResponse(404, { error: `Not found: ${path}` });
    const written = encodeCard(this.#describe(url), this.#version);
    // The member by which clients recognise a 0.1 card.
    const json = this.#version === '0.1' ? { authentication: { schemes: [] }, ...written } : written;
    const { writeCard } = this.#options;
    return {
      status: 200,
      headers: JSON_HEADERS,
      body: JSON.stringify(writeCard === undefined ? json : writeCard(json)),
    };
  }

  #extendedCard(url: string): AgentCard | undefined {
    const { extendedCard } = this.#options;
    return extendedCard && { ...this.#describe(url), ...extendedCard };
  }

  #describe(url: string): AgentCard {
    const { streaming = true, pushNotifications = true, binding = 'JSONRPC', extendedCard } = this.#options;
    const facts = { streaming, pushNotifications, extendedAgentCard: extendedCard !== undefined };
    return {
      ...peerCard({ url: url + this.#path, version: this.#version, binding, ...facts }),
      ...this.#options.card,
    };
  }
}

function replaced({ status, retryAfterS, headers, body = '' }: StatusFault): HttpResponse {
  const retryAfter = retryAfterS === undefined ? {} : { 'retry-after': String(retryAfterS) };
  return { status, headers: { 'content-type': 'text/plain', ...retryAfter, ...headers }, body };
}

interface PeerCardFacts {
  readonly url: string;
  readonly version: ProtocolVersion;
  readonly binding: 'JSONRPC' | 'HTTP+JSON';
  readonly streaming: boolean;
  readonly pushNotifications: boolean;
  readonly extendedAgentCard: boolean;
}

function peerCard({ url, version, binding, ...capabilities }: PeerCardFacts): AgentCard {
  return {
    name: 'Fake peer',
    description: 'Answers from a script.',
    version: '1.0.0',
    supportedInterfaces: [{ url, protocolBinding: binding, protocolVersion: version }],
    capabilities,
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [{ id: 'answer', name: 'Answer', description: 'Answers from a script.', tags: ['test'] }],
  };
}

/** Before 0.3 the card had another path. */
function cardPath(version: ProtocolVersion): string {
  return version === '0.1' || version === '0.2' ? '/.well-known/agent.json' : '/.well-known/agent-card.json';
}
