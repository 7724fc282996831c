/** One caller within the default limits does not read its responses, or does not send the body that it announced. */
import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { call, getOf, halfSent, LARGEST_TEXT, sendOf, statusOn, taskOf, times, unread } from './calls.ts';
import { type Victim, victims, whileBobCalls } from './victim.ts';

const MEBIBYTE = 2 ** 20;

/** Almost as many requests as the default rate allows at once. */
const BURST = 95;

/** Each connection sends three requests. */
const CONNECTIONS = 26;

/** Twice the bytes that a caller may have in flight. */
const MAX_BUFFERED_BYTES = 64 * MEBIBYTE;

const start = victims();

/** The statuses of the first `count` connections that the server responds on or closes. */
function firstStatuses(sockets: readonly Socket[], count: number): Promise<readonly unknown[]> {
  const statuses: unknown[] = [];
  return new Promise((resolve) => {
    const note = async (socket: Socket): Promise<void> => {
      statuses.push(await statusOn(socket));
      if (statuses.length === count) resolve(statuses);
    };
    for (const socket of sockets) void note(socket);
  });
}

/** An operating system with large buffers may take so many bytes that the limit is never reached. */
const MAX_POLLS = 40;

/** Polls until the limit of unread bytes rejects the caller. The server buffers little all the while. */
async function untilRejected(victim: Victim, id: string): Promise<void> {
  for (let polls = 0, isRejected = false; !isRejected && polls < MAX_POLLS; polls++) {
    const { status, text } = await call(victim.port, 'alice', getOf(id));
    isRejected = status === 429 && text.includes('"limit":"responseBytesPerCaller"');
    expect((await victim.condition()).buffers).toBeLessThan(MAX_BUFFERED_BYTES);
  }
}

test('the server bounds the bytes of responses that a caller does not read', async () => {
  const victim = await start({ heapMb: 160 });
  const { port } = victim;
  // 8 MiB: the message and its echo.
  const id = await taskOf(port, 'alice', sendOf(LARGEST_TEXT));

  await whileBobCalls(victim, async (bob) => {
    for (let i = 0; i < CONNECTIONS; i++) unread(port, 'alice', [getOf(id), getOf(id), getOf(id)]);
    await untilRejected(victim, id);
    await bob.served();
  });
});

test('the server bounds the bytes of subscriptions that a caller does not read', async () => {
  const victim = await start({ heapMb: 160, store: 'sqlite' });
  const { port } = victim;
  const id = await taskOf(port, 'alice', sendOf('pause'));
  for (let i = 0; i < 2; i++) await call(port, 'alice', sendOf(LARGEST_TEXT, { taskId: id }));

  await whileBobCalls(victim, async (bob) => {
    const subscribe = { method: 'GET', path: `/tasks/${id}:subscribe` };
    for (let i = 0; i < CONNECTIONS; i++)
      unread(port, 'alice', [getOf(id), getOf(id), subscribe], 'accept: text/event-stream\r\n');
    await untilRejected(victim, id);
    await bob.served();
  });
});

test('the server bounds the bytes of bodies that a caller does not complete', async () => {
  const victim = await start({ heapMb: 160 });

  await whileBobCalls(victim, async (bob) => {
    const length = 8 * MEBIBYTE;
    const sockets = times(BURST, () => halfSent(victim.port, 'alice', '/message:send', length, length - 1));
    // Four fit into 32 MiB.
    const statuses = await firstStatuses(sockets, BURST - 4);

    expect(new Set(statuses)).toEqual(new Set([429]));
    // The server still discards arriving bytes of the rejected bodies.
    await expect.poll(async () => (await victim.condition()).buffers).toBeLessThan(MAX_BUFFERED_BYTES);
    await bob.served();
  });
});
