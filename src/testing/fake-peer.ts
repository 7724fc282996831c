import type { AgentCard } from '../model/card.ts';
import type { JsonObject } from '../model/json.ts';
import type { Task } from '../model/task.ts';
import type { Clock } from '../support/clock.ts';
import type { ProtocolVersion } from '../wire/dialect.ts';
import type { ScriptedAnswer } from './fake-peer/answer.ts';
import { type Fault, FaultPlan } from './fake-peer/faults.ts';
import { Peer } from './fake-peer/peer.ts';
import type { PeerRequest } from './fake-peer/request-log.ts';
import { listenOnLoopback } from './loopback-server.ts';

export interface FakePeerOptions {
  /** The one version it speaks, 1.0 if not set. */
  readonly version?: ProtocolVersion;
  /** The one binding it speaks, `JSONRPC` if not set. REST came with 0.3. */
  readonly binding?: 'JSONRPC' | 'HTTP+JSON';
  /** One answer for each message, and the last one for all further messages. If not set, it says what it hears. */
  readonly script?: readonly ScriptedAnswer[];
  /** What goes wrong. A request takes the first fault that is meant for it. */
  readonly faults?: readonly Fault[];
  /** Members of the card that should be others. */
  readonly card?: Partial<AgentCard>;
  /** The last word on the card as it is written, for cards that are wrong. */
  readonly writeCard?: (json: JsonObject) => unknown;
  /** The extended card differs by these members. If not set, there is none. */
  readonly extendedCard?: Partial<AgentCard>;
  /** Below which path it answers, `/a2a` if not set. */
  readonly path?: string;
  /** Whether it streams; `true` if not set. */
  readonly streaming?: boolean;
  /** Whether it keeps push configs; `true` if not set. It delivers nothing. */
  readonly pushNotifications?: boolean;
  /** Numbers its events and resumes after `Last-Event-ID`; `false` if not set, as most peers. */
  readonly numbersEvents?: boolean;
  /** Answers a send that it has seen before as the first time, and does nothing; `false` if not set, as most peers. */
  readonly recognisesRepeats?: boolean;
  /** Never waits for a task in a send: whoever wants the end has to come back. `false` if not set. */
  readonly answersAtOnce?: boolean;
  /** How it speaks REST of 0.3 where a request shows no style: `proto` if not set. */
  readonly restStyle?: 'proto' | 'kind' | 'kind-bare';
  /** Where delays and timestamps come from. */
  readonly clock?: Clock;
}

/** A scripted agent on a real socket of this machine. */
export interface FakePeer {
  /** Where its card is found; what to give to `connect`. */
  readonly url: string;
  /** What it has been asked, in order. */
  readonly requests: readonly PeerRequest[];
  /** The tasks that messages have begun, as they are now. */
  readonly tasks: readonly Task[];
  /** The ids of messages on which it acted more than once; in 0.1, which has none, the ids of their tasks. */
  readonly doubleSends: readonly string[];
  /** One more thing that is to go wrong. */
  fault(fault: Fault): void;
  /** The same answers without a socket; fails as the global `fetch` does. */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /** Ends every connection. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts an agent that says what it is told to, in any version of the protocol, and fails where it is told to.
 *
 * @example
 * const peer = await fakePeer({ version: '0.3', script: ['Hello'], faults: [{ fault: 'status', status: 503 }] });
 * // …
 * expect(peer.doubleSends).toEqual([]);
 * await peer.close();
 */
export async function fakePeer(options: FakePeerOptions = {}): Promise<FakePeer> {
  const { version = '1.0', binding = 'JSONRPC' } = options;
  if (binding === 'HTTP+JSON' && (version === '0.1' || version === '0.2')) {
    throw new TypeError(`A2A ${version} has no REST, which came with 0.3`);
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
