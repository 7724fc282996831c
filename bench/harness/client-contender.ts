import { performance } from 'node:perf_hooks';
import { chunkText, HISTORY_LENGTH, workOn } from '../contenders/content.ts';
import { handleRequests } from './child.ts';
import { readCpu } from './contender.ts';
import { expectJson } from './http-bench.ts';

/** The kinds of calls that a client can make. */
export const CLIENT_WORK = ['send', 'get', 'stream'] as const;
export type ClientWork = (typeof CLIENT_WORK)[number];

/** One round of one client. */
export interface ClientOrder {
  readonly work: ClientWork;
  readonly port: number;
  /** The number of calls. Their ids are numbered from `first`. */
  readonly calls: number;
  readonly first: number;
  readonly inFlight: number;
  /** The chunks of each stream. */
  readonly chunks: number;
}

export interface ClientRound {
  readonly cpuUsPerUnit: number;
  readonly unitsPerSecond: number;
}

/** A connected client. Each call returns a value that shows that the client decoded the response. */
export interface Client {
  /** Returns the text of the resulting artifact. */
  send(id: string, text: string): Promise<unknown>;
  /** Returns the length of the history. */
  get(taskId: string): Promise<unknown>;
  /** Yields the text of each chunk. */
  stream(id: string, chunks: number, take: (text: unknown) => void): Promise<void>;
}

const TEXT = 'Good morning. Please translate this sentence, and keep the names as they are.';

/** Turns this process into a measured client. The measurement includes all threads and decoding the responses. */
export function runClientContender(taskId: string, connect: (port: number) => Promise<Client>): void {
  const clients = new Map<number, Promise<Client>>();
  handleRequests(async (payload) => {
    const order = payload as ClientOrder;
    let client = clients.get(order.port);
    if (client === undefined) clients.set(order.port, (client = connect(order.port)));
    return round(await client, order, taskId);
  });
}

async function round(client: Client, order: ClientOrder, taskId: string): Promise<ClientRound> {
  const { calls, first, inFlight } = order;
  let next = 0;
  const connection = async (): Promise<void> => {
    while (next < calls) await call(client, order, `bench-${first + next++}`, taskId);
  };
  const [started, cpu] = [performance.now(), readCpu().cpuUs];
  await Promise.all(Array.from({ length: inFlight }, connection));
  const [wallMs, cpuUs] = [performance.now() - started, readCpu().cpuUs - cpu];
  const units = order.work === 'stream' ? calls * order.chunks : calls;
  return { cpuUsPerUnit: cpuUs / units, unitsPerSecond: (units / wallMs) * 1000 };
}

const EXPECTED = workOn(TEXT);

async function call(client: Client, { work, chunks }: ClientOrder, id: string, taskId: string): Promise<void> {
  if (work === 'send') return expectJson('artifact text', await client.send(id, TEXT), EXPECTED);
  if (work === 'get') return expectJson('messages', await client.get(taskId), HISTORY_LENGTH);
  let read = 0;
  let isRight = true;
  await client.stream(id, chunks, (text) => (isRight &&= text === chunkText(read++)));
  expectJson('chunks', [read, isRight], [chunks, true]);
}
