import type { AgentCard } from '../model/card.ts';
import type { JsonObject } from '../model/json.ts';
import type { Task } from '../model/task.ts';
import type { Clock } from '../support/time/clock.ts';
import type { ProtocolVersion } from '../wire/version.ts';
import type { ScriptedAnswer } from './fake-peer/answer.ts';
import { type Fault, FaultPlan } from './fake-peer/faults.ts';
import { Peer } from './fake-peer/peer.ts';
import type { PeerRequest } from './fake-peer/request-log.ts';
import { listenOnLoopback } from './loopback-server.ts';

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

/** A scripted agent on a loopback port of this machine. */
export interface FakePeer {
  /** The address to pass to `connect()`. */
  readonly url: string;
  /** The requests received so far, in order. */
  readonly requests: readonly PeerRequest[];
  /** The tasks that messages have created, as they are now. */
  readonly tasks: readonly Task[];
  /** The ids of messages that the peer processed more than once. In 0.1, which has no message ids, the ids of their tasks. */
  readonly doubleSends: readonly string[];
  /** Adds a fault to inject. */
  fault(fault: Fault): void;
  /** Sends a request without a socket. Fails with the errors of the global `fetch`. */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /** Stops the peer and closes every connection. */
  close(): Promise<void>;
  /** Calls `close()`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts an agent with scripted responses and injected faults, in any version of the protocol.
 *
 * @example
 * const peer = await fakePeer({ version: '0.3', script: ['Hello'], faults: [{ fault: 'status', status: 503 }] });
 * // …
 * expect(peer.doubleSends).toEqual([]);
 * await peer.close();
 *
 * @throws TypeError for REST before 0.3, or for a stream fault on an operation that does not stream.
 */
export async function fakePeer(options: FakePeerOptions = {}): Promise<FakePeer> {
  const { version = '1.0', binding = 'JSONRPC' } = options;
  if (binding === 'HTTP+JSON' && (version === '0.1' || version === '0.2')) {
    throw new TypeError(`binding: HTTP+JSON requires A2A 0.3 or later, got version ${version}`);
  }
  const faults = new FaultPlan();
  for (const fault of options.faults ?? []) faults.add(fault);
  const peer = new Peer(options, faults);
  const { url, fetch, close } = await listenOnLoopback((request, url) => peer.answer(request, url));
  return {
    url,
    get requests() {
      return peer.requests;
    },
    get tasks() {
      return peer.tasks;
    },
    get doubleSends() {
      return peer.doubleSends;
    },
    fault: (fault) => faults.add(fault),
    fetch,
    close,
    [Symbol.asyncDispose]: close,
  };
}
