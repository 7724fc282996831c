import { describe, expect, test } from 'vitest';
import type { Store } from '../../src/store/store.ts';
import { deferred } from '../../src/support/deferred.ts';
import { cluster, turns } from './cluster.ts';
import { ANN, artifactText, collect, harness, until, userMessage, VARIANTS } from './harness.ts';

const IMMEDIATELY = { returnImmediately: true };

/** Counts all that an engine passes to its store and gets from it, in characters. */
function measure(store: Store): {
  readonly written: () => number;
  readonly read: () => number;
  readonly stop: () => void;
} {
  const { append, events } = store;
  let written = 0;
  let read = 0;
  Object.assign(store, {
    append: (write: Parameters<Store['append']>[0]) => {
      written += JSON.stringify(write).length;
      return append.call(store, write);
    },
    events: async (...args: Parameters<Store['events']>) => {
      const page = await events.apply(store, args);
      for (const { body } of page) read += body.length;
      return page;
    },
  });
  return { written: () => written, read: () => read, stop: () => Object.assign(store, { append, events }) };
}

/** Costs of streams that were found to be too high in other systems. */
describe.each(VARIANTS)('$name', (variant) => {
  test('the cost of a streamed chunk does not grow with the length of the stream', async () => {
    const cost = async (chunks: number): Promise<readonly number[]> => {
      const { engine, store } = await harness(
        async function* run() {
          for (let i = 0; i < chunks; i++) yield `chunk ${String(i).padStart(6, '0')} of an answer that takes a while`;
        },
        { variant },
      );
      const traffic = measure(store);
      const { items, taskId } = await engine.stream({
        ...ANN,
        agent: 'agent',
        caller: { id: 'ann', isVerified: true },
        message: userMessage('go'),
      });
      const seen = await collect(items);
      expect(seen).toHaveLength(chunks + 3);
      await collect(engine.subscribe(ANN, taskId, { after: 0 }));
      traffic.stop();
      return [traffic.written() / chunks, traffic.read() / chunks];
    };
    const [few, many] = [await cost(500), await cost(5000)];
    // Ten times the chunks: ten times the cost, not a hundred times. A chunk itself is 200 characters.
    expect(many[0]).toBeLessThan((few[0] ?? 0) * 1.5);
    expect(many[0]).toBeLessThan(800);
    expect(many[1]).toBeLessThan(Math.max((few[1] ?? 0) * 1.5, 800));
  });

  test('a stalled subscriber reads what it missed from the store, page by page', async () => {
    const chunks = 5000;
    const { node } = cluster(
      async function* run() {
        for (let i = 0; i < chunks; i++) yield `${i} `;
      },
      { variant },
    );
    const { engine, connection } = await node();
    const caller = { id: 'ann', isVerified: true };
    const { taskId, items } = await engine.stream({ ...ANN, agent: 'agent', caller, message: userMessage('go') });
    const iterator = items[Symbol.asyncIterator]();
    const numbers: unknown[] = [];
    const read = async (): Promise<boolean> => {
      const next = await iterator.next();
      if (next.done === true) return false;
      for (const event of next.value) numbers.push('number' in event && event.number);
      return true;
    };
    await read();
    await until(async () => {
      const stored = await engine.get(ANN, taskId).catch(() => undefined);
      return stored?.status.state === 'TASK_STATE_COMPLETED';
    });
    const before = connection.calls.filter((name) => name === 'events').length;
    while (await read());
    expect(numbers).toEqual(Array.from({ length: chunks + 3 }, (_, i) => i + 1));
    // The events that it had not read were not kept in memory.
    const pages = connection.calls.filter((name) => name === 'events').length - before;
    expect(pages).toBeGreaterThan((chunks - 1000) / 256);
  });

  test('a subscriber that closed its stream causes no more reads of the store', async () => {
    const door = deferred<void>();
    const { node } = cluster(
      async function* run() {
        yield 'a';
        await door.promise;
        yield 'b';
      },
      { variant },
    );
    const [runner, other] = [await node(), await node({ agents: [] })];
    const early = await runner.task('go', IMMEDIATELY);
    await until(async () => artifactText(await runner.engine.get(ANN, early.id)) === 'a');
    for (let i = 0; i < 50; i++) {
      const leave = new AbortController();
      for await (const _ of other.engine.subscribe(ANN, early.id, { signal: leave.signal })) {
        if (i % 2 === 0) break;
        leave.abort();
      }
    }
    await turns(10);
    const before = other.connection.calls.filter((name) => name === 'read' || name === 'events').length;
    door.resolve();
    await until(async () => (await runner.engine.get(ANN, early.id)).status.state === 'TASK_STATE_COMPLETED');
    await turns(10);
    // Each listener would have read the new events from the store.
    expect(other.connection.calls.filter((name) => name === 'read' || name === 'events')).toHaveLength(before);
  });
});
