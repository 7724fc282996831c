import type { Task } from '../model/task.ts';
import { type Fault, FaultPlan } from './fake-peer/faults.ts';
import { type FakePeerOptions, Peer } from './fake-peer/peer.ts';
import type { PeerRequest } from './fake-peer/request-log.ts';
import { listenOnLoopback } from './loopback-server.ts';

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
