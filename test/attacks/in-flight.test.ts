/** One caller inside the default limits does not read what it asked for, or does not send what it announced. */
import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { call, getOf, halfSent, LARGEST_TEXT, sendOf, statusOn, taskOf, times, unread } from './calls.ts';
import { type Victim, victims, whileBobCalls } from './victim.ts';

const MEBIBYTE = 2 ** 20;

/** As many requests as the default rate lets through at once, with a few to spare. */
const BURST = 95;

/** Each with three requests. */
const CONNECTIONS = 26;

/** Twice what a caller may have in flight. */
const MUCH = 64 * MEBIBYTE;

const start = victims();

/** Gives the statuses of the first so many connections that the server says something on, or closes. */
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

/** An operating system with large buffers may take so much that there is room in any case. */
const MAX_POLLS = 40;

/** Until the caller has no room for another response. Whatever it asks for meanwhile, the server holds little. */
async function untilRefused(victim: Victim, id: string): Promise<void> {
  for (let polls = 0, isRefused = false; !isRefused && polls < MAX_POLLS; polls++) {
    const { status, text } = await call(victim.port, 'alice', getOf(id));
    isRefused = status === 429 && text.includes('"limit":"responseBytesPerCaller"');
    expect((await victim.condition()).buffers).toBeLessThan(MUCH);
  }
}

test('responses that a caller does not read are bounded', async () => {
  const victim = await start({ heapMb: 160 });
  const { port } = victim;
  // 8 MiB: the message and its echo.
  const id = await taskOf(port, 'alice', sendOf(LARGEST_TEXT));

  await whileBobCalls(victim, async (bob) => {
    for (let i = 0; i < CONNECTIONS; i++) unread(port, 'alice', [getOf(id), getOf(id), getOf(id)]);
    await untilRefused(victim, id);
    await bob.served();
  });
});

test('subscriptions that a caller does not read are bounded', async () => {
  const victim = await start({ heapMb: 160, store: 'sqlite' });
  const { port } = victim;
  const id = await taskOf(port, 'alice', sendOf('pause'));
  for (let i = 0; i < 2; i++) await call(port, 'alice', sendOf(LARGEST_TEXT, { taskId: id }));

  await whileBobCalls(victim, async (bob) => {
    const subscribe = { method: 'GET', path: `/tasks/${id}:subscribe` };
    for (let i = 0; i < CONNECTIONS; i++)
      unread(port, 'alice', [getOf(id), getOf(id), subscribe], 'accept: text/event-stream\r\n');
    await untilRefused(victim, id);
    await bob.served();
  });
});

test('bodies that a caller does not complete are bounded', async () => {
  const victim = await start({ heapMb: 160 });

  await whileBobCalls(victim, async (bob) => {
    const length = 8 * MEBIBYTE;
    const sockets = times(BURST, () => halfSent(victim.port, 'alice', '/message:send', length, length - 1));
    // Four fit into 32 MiB.
    const statuses = await firstStatuses(sockets, BURST - 4);

    expect(new Set(statuses)).toEqual(new Set([429]));
    // The server still discards what arrives of the rejected ones.
    await expect.poll(async () => (await victim.condition()).buffers).toBeLessThan(MUCH);
    await bob.served();
  });
});
