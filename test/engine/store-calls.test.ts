/** How many calls of the store an operation costs: on a database each is a round trip. */
import { expect, test } from 'vitest';
import type { Handler } from '../../src/engine/handler.ts';
import { memoryStore } from '../../src/store/memory/store.ts';
import { fakeClock } from '../../src/testing/fake-clock.ts';
import { ANN, artifactText, type Harness, runnable, startHarness, statusText, until } from './harness.ts';

interface Counted extends Harness {
  /** The calls since the last time, by method. */
  readonly calls: () => Readonly<Record<string, number>>;
}

async function counted(handler: Handler): Promise<Counted> {
  const clock = fakeClock();
  let counts: Record<string, number> = {};
  const store = new Proxy(memoryStore({ clock }), {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...given: unknown[]): unknown => {
        counts[String(name)] = (counts[String(name)] ?? 0) + 1;
        return Reflect.apply(member, target, given);
      };
    },
  });
  const node = await startHarness({ store, clock, agents: [runnable(handler)] }, clock);
  const calls = (): Readonly<Record<string, number>> => {
    const before = counts;
    counts = {};
    return before;
  };
  return { ...node, calls };
}

test('a blocking send costs one create and one append', async () => {
  const { task, calls } = await counted(() => 'done');
  calls();
  await task('go');
  const { create, append, ...others } = calls();
  expect({ create, append }).toEqual({ create: 1, append: 1 });
  expect(others).toEqual({});
});

test('a cancel of a running task costs at most two reads and two appends', async () => {
  const { engine, task, calls } = await counted(async function* ({ signal }) {
    yield 'begun';
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
  });
  const { id } = await task('go', { returnImmediately: true });
  await until(async () => (await engine.get(ANN, id)).artifacts !== undefined);
  calls();

  const canceled = await engine.cancel(ANN, id);

  expect(canceled.status.state).toBe('TASK_STATE_CANCELED');
  const { read = 0, append = 0 } = calls();
  expect(read).toBeLessThanOrEqual(2);
  expect(append).toBeLessThanOrEqual(2);
});

test('an answer to a question costs at most two reads and two appends', async () => {
  const { task, reply, calls } = await counted(async ({ ask }) => `Hello, ${await ask('Who are you?')}`);
  const asking = await task('go');
  expect(statusText(asking)).toBe('Who are you?');
  calls();

  const answered = await reply(asking, 'Ann');

  expect(artifactText(answered)).toBe('Hello, Ann');
  const { read = 0, append = 0 } = calls();
  expect(read).toBeLessThanOrEqual(2);
  expect(append).toBeLessThanOrEqual(2);
});
