import { describe, expect, test } from 'vitest';
import { Feed } from '../../src/engine/stream/feed.ts';
import type { StreamItem } from '../../src/engine/stream/subscribe.ts';
import { deferred } from '../../src/support/deferred.ts';
import { cluster } from './cluster.ts';
import { ANN, artifactText, BOB, collect, harness, until, userMessage, VARIANTS } from './harness.ts';

const numbers = (items: readonly StreamItem[]): unknown[] =>
  items.map((item) => ('number' in item ? item.number : '-'));
const kinds = (items: readonly StreamItem[]): string[] => items.map(({ kind }) => kind);
const upTo = (last: number, first = 1): number[] => Array.from({ length: last - first + 1 }, (_, i) => first + i);

/** A handler that yields so many chunks: its task has three more events than chunks. */
const chunks = (count: number) =>
  async function* run(): AsyncGenerator<string> {
    for (let i = 0; i < count; i++) yield `${i} `;
  };

describe.each(VARIANTS)('$name', (variant) => {
  test('events of all kinds are numbered without a gap or repetition', async () => {
    const { stream } = await harness(
      async function* run({ status, artifact, step }) {
        for (let i = 0; i < 50; i++) {
          yield `${i}`;
          if (i % 5 === 0) await status(`${i}`);
          if (i % 7 === 0) await artifact(`a${i % 3}`).append('x');
          if (i % 11 === 0) await step('s', () => i);
        }
      },
      { variant },
    );
    const items = await stream('go');
    expect(numbers(items)).toEqual(upTo(items.length));
    expect(items.length).toBe(3 + 50 + 10 + 8);
  });

  test('a subscription to a finished task gets the task, or the events after a number', async () => {
    const { task, engine } = await harness(chunks(3), { variant });
    const done = await task('go');
    const whole = await collect(engine.subscribe(ANN, done.id));
    expect(whole).toEqual([{ kind: 'snapshot', number: 6, task: done }]);
    for (const after of [0, 1, 4, 5]) {
      expect(numbers(await collect(engine.subscribe(ANN, done.id, { after })))).toEqual(upTo(6, after + 1));
    }
    expect(await collect(engine.subscribe(ANN, done.id, { after: 6 }))).toEqual([]);
  });

  test.each([7, 1e9, -1, 1.5, Number.NaN])(
    'a subscription after the impossible number %s gets the task',
    async (after) => {
      const { task, engine } = await harness(chunks(3), { variant });
      const done = await task('go');
      const items = await collect(engine.subscribe(ANN, done.id, { after }));
      expect(items).toEqual([{ kind: 'snapshot', number: 6, task: done }]);
    },
  );

  test('a subscription to a running task gets the task and the events after it, without a gap', async () => {
    const gate = deferred<void>();
    const { task, engine } = await harness(
      async function* run({ step }) {
        yield 'a';
        await step('wait', () => gate.promise);
        yield 'b';
        yield 'c';
      },
      { variant },
    );
    const { id } = await task('go', { returnImmediately: true });
    await until(async () => artifactText(await engine.get(ANN, id)) === 'a');
    const subscription = collect(engine.subscribe(ANN, id));
    const resumed = collect(engine.subscribe(ANN, id, { after: 2 }));
    gate.resolve();
    const items = await subscription;
    expect(kinds(items)).toEqual(['snapshot', 'artifact', 'artifact', 'status']);
    expect(numbers(items)).toEqual([3, 4, 5, 6]);
    expect(numbers(await resumed)).toEqual([3, 4, 5, 6]);
  });

  test('a subscription to an unknown task or one of another caller throws TASK_NOT_FOUND', async () => {
    const { task, engine } = await harness(chunks(1), { variant });
    const { id } = await task('go');
    await expect(collect(engine.subscribe(BOB, id))).rejects.toMatchObject({ code: 'TASK_NOT_FOUND' });
    await expect(collect(engine.subscribe(BOB, id, { after: 1 }))).rejects.toMatchObject({ code: 'TASK_NOT_FOUND' });
    await expect(collect(engine.subscribe(ANN, 'none'))).rejects.toMatchObject({ code: 'TASK_NOT_FOUND' });
  });

  test('a subscription to a task whose events were removed gets the task', async () => {
    const { task, engine, clock } = await harness(chunks(3), { variant, retention: { replayWindowMs: 1000 } });
    const done = await task('go');
    clock.advance(5000);
    await engine.prune();
    for (const after of [0, 3, 5]) {
      const items = await collect(engine.subscribe(ANN, done.id, { after }));
      expect(items).toEqual([{ kind: 'snapshot', number: 6, task: done }]);
    }
    expect(await collect(engine.subscribe(ANN, done.id, { after: 6 }))).toEqual([]);
    expect(await engine.get(ANN, done.id)).toEqual(done);
  });

  test('a subscription that is aborted ends without further events, and can resume from its last number', async () => {
    const gate = deferred<void>();
    const { task, engine } = await harness(
      async function* run({ step }) {
        yield 'a';
        await step('wait', () => gate.promise);
        yield 'b';
      },
      { variant },
    );
    const { id } = await task('go', { returnImmediately: true });
    await until(async () => artifactText(await engine.get(ANN, id)) === 'a');
    const leaving = new AbortController();
    const subscription = collect(engine.subscribe(ANN, id, { after: 0, signal: leaving.signal }));
    const alreadyGone = collect(engine.subscribe(ANN, id, { after: 0, signal: AbortSignal.abort() }));
    leaving.abort();
    expect(numbers(await subscription)).toEqual([1, 2, 3]);
    expect(numbers(await alreadyGone)).toEqual([1, 2, 3]);
    gate.resolve();
    expect(numbers(await collect(engine.subscribe(ANN, id, { after: 3 })))).toEqual([4, 5]);
  });

  test('the stream of a follow-up starts with the task as it is', async () => {
    const { task, stream } = await harness(async ({ ask }) => `Hi ${await ask('Who?')}`, { variant });
    const asked = await task('go');
    const items = await stream('', { message: userMessage('Ann', { taskId: asked.id }) });
    expect(kinds(items)[0]).toBe('snapshot');
    const [first, ...rest] = items;
    const start = first !== undefined && 'number' in first ? first.number : 0;
    expect(start).toBeGreaterThanOrEqual(3);
    expect(numbers(rest)).toEqual(upTo(5, start + 1));
  });

  test('a subscription on another node gets the same events', async () => {
    const gate = deferred<void>();
    const { node } = cluster(
      async function* run({ step }) {
        yield 'a';
        await step('wait', () => gate.promise);
        for (let i = 0; i < 600; i++) yield `${i}`;
      },
      { variant },
    );
    const [here, there] = [await node(), await node()];
    const { id } = await here.task('go', { returnImmediately: true });
    await until(async () => artifactText(await there.engine.get(ANN, id)) === 'a');
    const subscriptions = [here, there].map(({ engine }) => collect(engine.subscribe(ANN, id, { after: 0 })));
    gate.resolve();
    const [mine, theirs] = await Promise.all(subscriptions);
    expect(theirs).toEqual(mine);
    expect(numbers(mine ?? [])).toEqual(upTo(604));
  });
});

test('a subscriber that does not read for 10,000 events misses none of them, and gets them in pages of at most 512', async () => {
  const gate = deferred<void>();
  const { task, engine } = await harness(async function* run({ step }) {
    yield 'first';
    await step('wait', () => gate.promise);
    for (let i = 0; i < 10_000; i++) yield `${i} `;
  });
  const { id } = await task('go', { returnImmediately: true });
  await until(async () => artifactText(await engine.get(ANN, id)) === 'first');
  const iterator = engine.subscribe(ANN, id, { after: 0 })[Symbol.asyncIterator]();
  const seen: StreamItem[] = [];
  const first = await iterator.next();
  if (first.done !== true) seen.push(...first.value);
  gate.resolve();
  await until(async () => (await engine.get(ANN, id)).status.state === 'TASK_STATE_COMPLETED');
  let largest = 0;
  for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) {
    largest = Math.max(largest, next.value.length);
    seen.push(...next.value);
  }
  expect(numbers(seen)).toEqual(upTo(10_004));
  // No batch was larger than a page.
  expect(largest).toBeLessThanOrEqual(512);
});

test('a subscription that ends by a break, a signal or the end of the task removes its listener', async () => {
  let listening = 0;
  const { listen } = Feed.prototype;
  Feed.prototype.listen = function count(...args) {
    listening++;
    const stop = listen.apply(this, args);
    let isOn = true;
    return () => {
      if (isOn) listening--;
      isOn = false;
      stop();
    };
  };
  try {
    const gate = deferred<void>();
    const { task, engine } = await harness(async function* run({ step }) {
      yield 'a';
      await step('wait', () => gate.promise);
    });
    const { id } = await task('go', { returnImmediately: true });
    await until(async () => artifactText(await engine.get(ANN, id)) === 'a');
    for await (const _ of engine.subscribe(ANN, id)) break;
    expect(listening).toBe(0);
    const leaving = new AbortController();
    const left = collect(engine.subscribe(ANN, id, { signal: leaving.signal }));
    const stays = collect(engine.subscribe(ANN, id));
    const waits = task('', { message: userMessage('x', { taskId: id }) });
    await until(() => listening === 3);
    leaving.abort();
    await left;
    expect(listening).toBe(2);
    gate.resolve();
    await Promise.all([stays, waits]);
    expect(listening).toBe(0);
    await collect(engine.subscribe(ANN, 'none')).catch(() => {});
    expect(listening).toBe(0);
  } finally {
    Feed.prototype.listen = listen;
  }
});
