import { describe, expect, test } from 'vitest';
import type { Store } from '../../src/store/store.ts';
import { deferred } from '../../src/support/deferred.ts';
import { cluster, turns } from './faults.ts';
import { ANN, artifactText, collect, harness, until, userMessage, VARIANTS } from './harness.ts';

const IMMEDIATELY = { returnImmediately: true };

/** All that an engine passes to its store and gets from it, in characters. */
function weigh(store: Store): {
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

/** Mistakes that other systems were seen to make with streams. Each of them would fail here. */
describe.each(VARIANTS)('$name', (variant) => {
  test('copying the whole task on every event makes streaming quadratic', async () => {
    const cost = async (chunks: number): Promise<readonly number[]> => {
      const { engine, store } = await harness(
        async function* run() {
          for (let i = 0; i < chunks; i++) yield `chunk ${String(i).padStart(6, '0')} of an answer that takes a while`;
        },
        { variant },
      );
      const scale = weigh(store);
      const { items, taskId } = await engine.stream({
        ...ANN,
        agent: 'agent',
        caller: { id: 'ann', isVerified: true },
        message: userMessage('go'),
      });
      const seen = await collect(items);
      expect(seen).toHaveLength(chunks + 3);
      await collect(engine.subscribe(ANN, taskId, { after: 0 }));
      scale.stop();
      return [scale.written() / chunks, scale.read() / chunks];
    };
    const [few, many] = [await cost(500), await cost(5000)];
    // Ten times the chunks: ten times the cost, not a hundred times. A chunk itself is 200 characters.
    expect(many[0]).toBeLessThan((few[0] ?? 0) * 1.5);
    expect(many[0]).toBeLessThan(800);
    expect(many[1]).toBeLessThan(Math.max((few[1] ?? 0) * 1.5, 800));
  });

  test('a stalled reader holds everything that it does not read', async () => {
    const chunks = 5000;
    const { node } = cluster(
      async function* run() {
        for (let i = 0; i < chunks; i++) yield `${i} `;
      },
      { variant },
    );
    const { engine, line } = await node();
    const caller = { id: 'ann', isVerified: true };
    const { taskId, items } = await engine.stream({ ...ANN, agent: 'agent', caller, message: userMessage('go') });
    const reader = items[Symbol.asyncIterator]();
    const numbers: unknown[] = [];
    const read = async (): Promise<boolean> => {
      const next = await reader.next();
      if (next.done === true) return false;
      for (const event of next.value) numbers.push('number' in event && event.number);
      return true;
    };
    await read();
    await until(async () => {
      const stored = await engine.get(ANN, taskId).catch(() => undefined);
      return stored?.status.state === 'TASK_STATE_COMPLETED';
    });
    const before = line.calls.filter((name) => name === 'events').length;
    while (await read());
    expect(numbers).toEqual(Array.from({ length: chunks + 3 }, (_, i) => i + 1));
    // What it had not read came from the store, page by page, and was not waiting for it in memory.
    const pages = line.calls.filter((name) => name === 'events').length - before;
    expect(pages).toBeGreaterThan((chunks - 1000) / 256);
  });

  test('readers that have left stay as listeners', async () => {
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
    const before = other.line.calls.filter((name) => name === 'read' || name === 'events').length;
    door.resolve();
    await until(async () => (await runner.engine.get(ANN, early.id)).status.state === 'TASK_STATE_COMPLETED');
    await turns(10);
    // Each of them would have looked into the store for the news.
    expect(other.line.calls.filter((name) => name === 'read' || name === 'events')).toHaveLength(before);
  });
});
