/** One caller within the default limits creates as many tasks as it can, as large as possible, and reads them in every way. */
import { expect, test } from 'vitest';
import { call, getOf, LARGEST_TEXT, sendOf, taskOf, times } from './calls.ts';
import { victims, whileBobCalls } from './victim.ts';

const MEBIBYTE = 2 ** 20;

const start = victims();

test.each(['memory', 'sqlite'] as const)(
  'the history of a task has a limit in bytes, and so has the response that contains it (%s)',
  async (store) => {
    const victim = await start({ heapMb: 192, store });
    const { port } = victim;
    const id = await taskOf(port, 'alice', sendOf('pause'));

    await whileBobCalls(victim, async (bob) => {
      const statuses: number[] = [];
      for (let i = 0; i < 10; i++) {
        const { status } = await call(port, 'alice', sendOf(LARGEST_TEXT, { taskId: id }));
        statuses.push(status);
      }
      // Three of 4 MiB fit into 16 MiB beside the first message.
      expect(statuses).toEqual([200, 200, 200, ...times(7, () => 400)]);
      const replies = await Promise.all(times(20, () => call(port, 'alice', getOf(id))));
      for (const { status, text } of replies) {
        expect([200, 429]).toContain(status);
        expect(text.length).toBeLessThan(9 * MEBIBYTE);
      }
      expect(replies.some(({ status }) => status === 200)).toBe(true);
      await bob.served();
    });
  },
);

test('a page of a list of large tasks stays below 9 MiB', async () => {
  const victim = await start({ heapMb: 192, store: 'sqlite' });
  const { port } = victim;
  for (let i = 0; i < 20; i++) await taskOf(port, 'alice', sendOf(LARGEST_TEXT, { returnImmediately: true }));
  // The latest are small, so that the server cannot estimate the sizes of the others from them.
  for (let i = 0; i < 12; i++) await taskOf(port, 'alice', sendOf('small'));

  await whileBobCalls(victim, async (bob) => {
    const path = '/tasks?pageSize=100&includeArtifacts=true';
    do {
      const replies = await Promise.all(times(10, () => call(port, 'alice', { method: 'GET', path })));
      for (const { status, text } of replies) {
        expect([200, 429]).toContain(status);
        expect(text.length).toBeLessThan(9 * MEBIBYTE);
      }
    } while (!bob.isServed);
  });
});

test('many requests that wait for one large result get it or status 429', async () => {
  const victim = await start({ heapMb: 192, store: 'sqlite' });
  const { port } = victim;
  const id = await taskOf(port, 'alice', sendOf('listen', { returnImmediately: true }));
  for (let i = 0; i < 2; i++) await call(port, 'alice', sendOf(LARGEST_TEXT, { taskId: id, returnImmediately: true }));

  await whileBobCalls(victim, async (bob) => {
    const all = { historyLength: 1000 };
    const waiting = times(80, () => call(port, 'alice', sendOf('more', { taskId: id, ...all })));
    await bob.served();
    await call(port, 'alice', sendOf('end', { taskId: id }));
    const replies = await Promise.all(waiting);
    for (const { status } of replies) expect([200, 429]).toContain(status);
    expect(replies.some(({ status }) => status === 200)).toBe(true);
  });
});

test('a memory store bounds the bytes of ended tasks, and keeps the latest', async () => {
  const victim = await start({ heapMb: 400 });
  const { port } = victim;

  await whileBobCalls(victim, async (bob) => {
    let last = '';
    // 16 MiB each, with its events and its artifact.
    for (let i = 0; i < 24; i++) last = await taskOf(port, 'alice', sendOf(LARGEST_TEXT, { returnImmediately: true }));
    expect((await call(port, 'alice', getOf(last))).status).toBe(200);
    expect((await victim.condition()).heap).toBeLessThan(350 * MEBIBYTE);
    await bob.served();
  });
});

test('a memory store rejects new tasks of a caller whose unfinished tasks fill its share', async () => {
  const victim = await start({ heapMb: 400 });
  const { port } = victim;

  await whileBobCalls(victim, async (bob) => {
    const statuses: number[] = [];
    for (let i = 0; i < 34; i++) {
      const { status } = await call(port, 'alice', sendOf(`pause ${LARGEST_TEXT.slice(6)}`));
      statuses.push(status);
    }
    expect(new Set(statuses)).toEqual(new Set([200, 503]));
    expect((await victim.condition()).heap).toBeLessThan(350 * MEBIBYTE);
    await bob.served();
  });
});
