/**
 * A process that serves an agent with much to say, made to be measured: it tells over its channel what it holds. Takes
 * the path of a database.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { listenerWith } from '../../src/node/listener.ts';
import { agent } from '../../src/agent/agent.ts';
import { createHandler } from '../../src/server/handler.ts';
import { sqlite } from '../../src/store/sqlite/store.ts';

/** What the process answers to any message. */
export interface Holding {
  /** Streams that are open, by port. */
  readonly streams: readonly number[];
  /** The most that any connection had to write at any time, in bytes. */
  readonly mostBuffered: number;
  /** What JavaScript holds after a collection, in bytes. */
  readonly memory: number;
}

export interface Ports {
  /** Here readers may stop reading for as long as they like. */
  readonly patient: number;
  /** Here not at all. */
  readonly impatient: number;
}

const store = sqlite(process.argv[2] ?? '');
const speaker = agent({
  name: 'Speaker',
  description: 'Says as much as it is told, as often as it is told, when it is told.',
  async *run({ text, inbox }) {
    const [size = 0, times = 0] = text.split(' ').map(Number);
    yield { status: 'working', text: 'Waiting for a word' };
    for await (const _ of inbox) break;
    for (let i = 0; i < times; i++) yield `${i} `.padEnd(size, 'x');
  },
});
const handler = createHandler(speaker, { store });
await handler.start();

let mostBuffered = 0;
const open = [new Set<ServerResponse>(), new Set<ServerResponse>()] as const;
const [patient, impatient] = await Promise.all([3_600_000, 50].map((stallMs, i) => listen(stallMs, open[i])));
setInterval(look, 5).unref();
process.on('message', () => {
  look();
  process.send?.({ streams: open.map(({ size }) => size), mostBuffered, memory: memoryHeld() } satisfies Holding);
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

function look(): void {
  for (const { writableLength } of [...open[0], ...open[1]]) mostBuffered = Math.max(mostBuffered, writableLength);
}

function memoryHeld(): number {
  // Twice, for what the first one has only made free.
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
