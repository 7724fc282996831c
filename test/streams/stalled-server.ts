/**
 * A process that serves an agent with large outputs, and reports to its parent how much it holds for subscribers. Its
 * argument is the path of a database.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { listenerWith } from '../../src/node/listener.ts';
import { agent } from '../../src/agent/agent.ts';
import { createHandler } from '../../src/server/handler.ts';
import { sqlite } from '../../src/store/sqlite/store.ts';

/** The reply of the process to any message of its parent. */
export interface Measurement {
  /** The number of open streams, by port. */
  readonly streams: readonly number[];
  /** The most bytes that were buffered for one connection at any time. */
  readonly mostBuffered: number;
  /** Bytes that JavaScript holds after a garbage collection. */
  readonly memory: number;
}

export interface Ports {
  /** At this port the server never closes the connection of a subscriber that stops reading. */
  readonly patient: number;
  /** At this port the server closes it after 50 ms. */
  readonly impatient: number;
}

const store = sqlite(process.argv[2] ?? '');
const publisher = agent({
  name: 'Publisher',
  description: 'Publishes outputs of the requested size and number, after a second message.',
  async *run({ text, inbox }) {
    const [size = 0, times = 0] = text.split(' ').map(Number);
    yield { status: 'working', text: 'Waiting for a message' };
    for await (const _ of inbox) break;
    for (let i = 0; i < times; i++) yield `${i} `.padEnd(size, 'x');
  },
});
const handler = createHandler(publisher, { store });
await handler.start();

let mostBuffered = 0;
const open = [new Set<ServerResponse>(), new Set<ServerResponse>()] as const;
const [patient, impatient] = await Promise.all([3_600_000, 50].map((stallMs, i) => listen(stallMs, open[i])));
setInterval(sampleBuffers, 5).unref();
process.on('message', () => {
  sampleBuffers();
  process.send?.({ streams: open.map(({ size }) => size), mostBuffered, memory: memoryHeld() } satisfies Measurement);
});
process.send?.({ patient: patient ?? 0, impatient: impatient ?? 0 } satisfies Ports);

function listen(stallMs: number, responses: Set<ServerResponse> | undefined): Promise<number> {
  const listener = listenerWith(handler, stallMs);
  const http = createServer((incoming, outgoing) => {
    responses?.add(outgoing);
    outgoing.once('close', () => responses?.delete(outgoing));
    listener(incoming, outgoing);
  });
  return new Promise((resolve) => {
    http.listen(0, '127.0.0.1', () => resolve((http.address() as AddressInfo).port));
  });
}

function sampleBuffers(): void {
  for (const { writableLength } of [...open[0], ...open[1]]) mostBuffered = Math.max(mostBuffered, writableLength);
}

function memoryHeld(): number {
  // Twice, because the second collection frees objects that the first one has only released.
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
