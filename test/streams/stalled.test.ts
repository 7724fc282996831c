/** Subscribers that stop reading: how much memory a server process holds for them. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SseDecoder } from '../../src/wire/sse/sse-decoder.ts';
import { testProcesses, TIMEOUT_MS } from './child-process.ts';
import { RawSocket, rawRequest } from './raw-socket.ts';
import type { Measurement, Ports } from './stalled-server.ts';
import { resume, send, taskIdOf } from './stream-calls.ts';
import { StreamClient } from './stream-client.ts';
import { requestOf, REST_1, RPC_1, userMessage } from './wire-formats.ts';

const STALLED = 10;
const MEBIBYTE = 2 ** 20;

const { folder, start } = testProcesses(new URL('stalled-server.ts', import.meta.url));

/** Subscribes from the beginning and does not read a byte. */
function stalledSubscriber(port: number, id: string): RawSocket {
  const subscriber = new RawSocket(port);
  subscriber.socket.pause();
  return subscriber.write(rawRequest(requestOf(REST_1, 'SubscribeToTask', { id }, 0)));
}

/** Creates a task that publishes `times` outputs of `size` characters after `begin` is called. */
async function createTask(
  port: number,
  size: number,
  times: number,
): Promise<{ id: string; begin: () => Promise<void> }> {
  const sender = await send(port, RPC_1, `${size} ${times}`).until(({ events }) => events.length > 0);
  const id = taskIdOf(sender);
  sender.disconnect();
  const go = { ...userMessage('go', id), configuration: { returnImmediately: true } };
  const begin = async (): Promise<void> => {
    await new StreamClient(port, RPC_1, requestOf(RPC_1, 'SendMessage', go)).ended;
  };
  return { id, begin };
}

/** The event numbers of a task with this many outputs, and three events for its creation, start and end. */
function numbers(outputs: number): readonly number[] {
  return Array.from({ length: outputs + 3 }, (_, i) => i + 1);
}

test(
  'subscribers that stop reading hold less than 3 MiB each and do not delay others',
  async () => {
    const child = start<Measurement>(join(folder, 'held.db'));
    const { patient } = await child.nextMessage<Ports>();
    const { id, begin } = await createTask(patient, 4096, 12_800);
    const stalled = Array.from({ length: STALLED }, () => stalledSubscriber(patient, id));
    await child.until(({ streams: [open] }) => open === STALLED);
    const subscriber = resume(patient, REST_1, id, 0);
    await begin();

    expect(await subscriber.ended).toBe('complete');
    expect(subscriber.events.map(({ number }) => number)).toEqual(numbers(12_800));
    const held = await child.request();
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
  'less than 1 MiB of a page of large events is buffered for a subscriber that does not read',
  async () => {
    const child = start<Measurement>(join(folder, 'large.db'));
    const { patient } = await child.nextMessage<Ports>();
    const { id, begin } = await createTask(patient, MEBIBYTE / 4, 40);
    const subscriber = resume(patient, REST_1, id, 0);
    await begin();
    expect(await subscriber.ended).toBe('complete');
    const stalled = stalledSubscriber(patient, id);
    const { mostBuffered } = await child.until(
      (measurement) => measurement.streams[0] === 1 && measurement.mostBuffered > 0,
    );

    expect(mostBuffered).toBeLessThan(MEBIBYTE);
    stalled.socket.destroy();
  },
  TIMEOUT_MS,
);

test(
  'a subscriber that does not read is disconnected, and can resume by number',
  async () => {
    const child = start<Measurement>(join(folder, 'away.db'));
    const { patient, impatient } = await child.nextMessage<Ports>();
    const { id, begin } = await createTask(patient, 65_536, 160);
    const stalled = stalledSubscriber(impatient, id);
    await child.until(({ streams }) => streams[1] === 1);
    await begin();
    await child.until(({ streams }) => streams[1] === 0);

    // Bytes that were in transit when the server closed the connection still arrive.
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

/** The numbers of the events in the bytes of a response, and whether it ends inside an event. */
function eventsIn(response: string): { readonly events: readonly number[]; readonly isCut: boolean } {
  const body = response.slice(response.indexOf('\r\n\r\n') + 2);
  const decoder = new SseDecoder();
  const events = decoder.push(body.replaceAll(/\r\n[0-9a-f]+\r\n/g, ''));
  return { events: events.map(({ id }) => Number(id)), isCut: decoder.pending };
}
