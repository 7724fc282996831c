/** Readers that stop reading, in front of a process that is measured from outside. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SseDecoder } from '../../src/wire/sse/sse-decoder.ts';
import { children, TIMEOUT_MS } from './child.ts';
import { RawSocket, rawRequest } from './raw-socket.ts';
import type { Holding, Ports } from './stalled-server.ts';
import { resume, send, taskIdOf } from './stream-calls.ts';
import { StreamReader } from './stream-reader.ts';
import { requestOf, REST_1, RPC_1, userMessage } from './ways.ts';

const STALLED = 10;
const MEBIBYTE = 2 ** 20;

const { folder, start } = children(new URL('stalled-server.ts', import.meta.url));

/** Subscribes from the beginning and does not read a byte. */
function stalledReader(port: number, id: string): RawSocket {
  const reader = new RawSocket(port);
  reader.socket.pause();
  return reader.write(rawRequest(requestOf(REST_1, 'SubscribeToTask', { id }, 0)));
}

/** Has a task begin that says so much so often, but not before `begin`. */
async function taskOf(port: number, size: number, times: number): Promise<{ id: string; begin: () => Promise<void> }> {
  const sender = await send(port, RPC_1, `${size} ${times}`).until(({ events }) => events.length > 0);
  const id = taskIdOf(sender);
  sender.leave();
  const go = { ...userMessage('go', id), configuration: { returnImmediately: true } };
  const begin = async (): Promise<void> => {
    await new StreamReader(port, RPC_1, requestOf(RPC_1, 'SendMessage', go)).ended;
  };
  return { id, begin };
}

/** The numbers of all events of a task with so many outputs: it comes to be, works and ends. */
function numbers(outputs: number): readonly number[] {
  return Array.from({ length: outputs + 3 }, (_, i) => i + 1);
}

test(
  'readers who stop reading hold little, and nobody up',
  async () => {
    const child = start<Holding>(join(folder, 'held.db'));
    const { patient } = await child.says<Ports>();
    const { id, begin } = await taskOf(patient, 4096, 12_800);
    const stalled = Array.from({ length: STALLED }, () => stalledReader(patient, id));
    await child.until(({ streams: [open] }) => open === STALLED);
    const reader = resume(patient, REST_1, id, 0);
    await begin();

    expect(await reader.ended).toBe('complete');
    expect(reader.events.map(({ number }) => number)).toEqual(numbers(12_800));
    const held = await child.ask();
    expect(held.streams).toEqual([STALLED, 0]);
    for (const { socket } of stalled) socket.destroy();
    const free = await child.until(({ streams: [open] }) => open === 0);
    // Two pages of 256 events: the one that is being written, and the one before it, which V8 keeps in a dead register.
    expect((held.memory - free.memory) / STALLED).toBeLessThan(3 * MEBIBYTE);
    expect(held.mostBuffered).toBeLessThan(MEBIBYTE / 4);
  },
  TIMEOUT_MS,
);

test(
  'a page of large events is not written in one go',
  async () => {
    const child = start<Holding>(join(folder, 'large.db'));
    const { patient } = await child.says<Ports>();
    const { id, begin } = await taskOf(patient, MEBIBYTE / 4, 40);
    const reader = resume(patient, REST_1, id, 0);
    await begin();
    expect(await reader.ended).toBe('complete');
    const stalled = stalledReader(patient, id);
    const { mostBuffered } = await child.until((holding) => holding.streams[0] === 1 && holding.mostBuffered > 0);

    expect(mostBuffered).toBeLessThan(MEBIBYTE);
    stalled.socket.destroy();
  },
  TIMEOUT_MS,
);

test(
  'a reader who does not read is sent away, and can have the rest by number',
  async () => {
    const child = start<Holding>(join(folder, 'away.db'));
    const { patient, impatient } = await child.says<Ports>();
    const { id, begin } = await taskOf(patient, 65_536, 160);
    const stalled = stalledReader(impatient, id);
    await child.until(({ streams }) => streams[1] === 1);
    await begin();
    await child.until(({ streams }) => streams[1] === 0);

    // What was on its way when the server gave up is still there.
    stalled.socket.resume();
    await stalled.closed;
    const { events, isCut } = eventsIn(stalled.text);
    expect(isCut).toBe(true);
    const rest = resume(patient, REST_1, id, events.at(-1) ?? 0);
    expect(await rest.ended).toBe('complete');
    expect(rest.events.length).toBeGreaterThan(0);
    expect([...events, ...rest.events.map(({ number }) => number)]).toEqual(numbers(160));
  },
  TIMEOUT_MS,
);

/** The numbers of the events in an answer as it came over the line, and whether it ends inside one. */
function eventsIn(answer: string): { readonly events: readonly number[]; readonly isCut: boolean } {
  const body = answer.slice(answer.indexOf('\r\n\r\n') + 2);
  const reader = new SseDecoder();
  const events = reader.push(body.replaceAll(/\r\n[0-9a-f]+\r\n/g, ''));
  return { events: events.map(({ id }) => Number(id)), isCut: reader.pending };
}
