import { describe, expect, test } from 'vitest';
import type { Handler } from '../../src/engine/handler.ts';
import { A2AError } from '../../src/errors.ts';
import { newRecord } from '../../src/store/guard.ts';
import type { Store } from '../../src/store/store.ts';
import { type Deferred, deferred } from '../../src/support/deferred.ts';
import { fakeClock } from '../../src/testing/fake-clock.ts';
import { cluster, pass, untilAborted, turns } from './cluster.ts';
import { ANN, artifactText, openStore, runnable, startHarness, until, VARIANTS, withMethods } from './harness.ts';

const FIRE = new A2AError('UNAVAILABLE', 'The disk is on fire');

describe.each(VARIANTS)('$name', (variant) => {
  test('the number of store calls after an outage does not grow with the number of rejected requests', async () => {
    const { node, clock } = cluster(async () => 'done', { variant, limits: { concurrency: 1000 } });
    const { connection, send } = await node();
    const appends = (): number => connection.calls.filter((name) => name === 'append').length;
    connection.set('failing');
    const sent = await Promise.allSettled(Array.from({ length: 500 }, () => send('go')));
    expect(sent.every(({ status }) => status === 'rejected')).toBe(true);
    const before = appends();
    await pass(clock, 10_000, 500);
    expect(appends() - before).toBeLessThan(500);
    connection.set('open');
    await pass(clock, 10_000, 500);
    const after = appends();
    await pass(clock, 10_000, 500);
    expect(appends()).toBe(after);
  });

  test.each([15_500, 17_500, 19_500, 24_500])(
    'a node that could not reach its store for %d ms does not run its own tasks a second time',
    async (outageMs) => {
      let starts = 0;
      const handler: Handler = async ({ signal }) => {
        starts += 1;
        await untilAborted(signal);
      };
      const { node, clock } = cluster(handler, { variant });
      const { connection, send, engine } = await node();
      await send('go', { returnImmediately: true });
      await turns();
      connection.set('failing');
      await pass(clock, outageMs, 500);
      connection.set('open');
      await pass(clock, 10_000, 500);

      expect(starts).toBe(1);
      const [task] = (await engine.list(ANN, { limit: 1 })).tasks;
      expect(task?.status.state).toBe('TASK_STATE_WORKING');
    },
  );

  test.each(['append', 'create'])(
    'a run whose task could not be stored logs nothing (%s fails first)',
    async (first) => {
      const clock = fakeClock();
      const inner = openStore(variant, clock);
      const failed = deferred<void>();
      const fail = async (name: string): Promise<never> => {
        if (name === first) await turns(2);
        else await failed.promise;
        failed.resolve();
        throw FIRE;
      };
      const create: Store['create'] = (task, accepted) => {
        accepted?.(newRecord(task));
        return fail('create');
      };
      const store = withMethods(inner, { create, append: () => fail('append') });
      const agents = [runnable(async () => 'done')];
      const { task, log } = await startHarness({ store, agents, clock, maxSuspended: variant.maxSuspended }, clock);
      await expect(task('go')).rejects.toThrow('The disk is on fire');
      await turns(10);
      expect(log).toEqual([]);
    },
  );

  test('a write that fails before its task is stored fails the request afterwards, and the task is retried', async () => {
    const clock = fakeClock();
    const inner = openStore(variant, clock);
    const door = deferred<void>();
    let isFailing = true;
    const create: Store['create'] = async (task, accepted) => {
      const created = inner.create(task, accepted);
      await door.promise;
      return created;
    };
    const append: Store['append'] = async (write) => {
      if (isFailing) throw FIRE;
      return inner.append(write);
    };
    const store = withMethods(inner, { create, append });
    const agents = [runnable(async () => 'done')];
    const { engine, task, log } = await startHarness(
      { store, agents, clock, maxSuspended: variant.maxSuspended },
      clock,
    );
    const sent = task('go').catch((error: unknown) => error);
    await turns(20);
    expect(log).toEqual([]);
    isFailing = false;
    door.resolve();
    expect(await sent).toMatchObject({ code: 'UNAVAILABLE', retryAfterMs: 1000 });
    expect(log).toMatchObject([{ message: 'Run interrupted by a failure of the task store' }]);
    await pass(clock, 5000, 500);
    const [found] = (await engine.list(ANN, { limit: 1, artifacts: true })).tasks;
    expect(found && artifactText(found)).toBe('done');
  });

  test.each<[string, Handler]>([
    [
      'an output',
      async function* run() {
        yield 'a';
        await turns(2);
        yield 'b';
      },
    ],
    ['an end', async () => 'ab'],
    [
      'a step',
      async ({ step }) => {
        await step('s', () => 1);
        return 'ab';
      },
    ],
    [
      'a sleep',
      async ({ sleep }) => {
        await sleep(100);
        return 'ab';
      },
    ],
  ])('a store that throws synchronously restarts only the run that called it (%s)', async (_, run) => {
    const clock = fakeClock();
    const inner = openStore(variant, clock);
    let isFailing = true;
    const append: Store['append'] = (write) => {
      if (!isFailing) return inner.append(write);
      isFailing = false;
      throw FIRE;
    };
    const store = withMethods(inner, { append });
    const { engine, task } = await startHarness(
      { store, agents: [runnable(run)], clock, maxSuspended: variant.maxSuspended },
      clock,
    );
    const sent = Promise.allSettled(Array.from({ length: 4 }, () => task('go')));
    await pass(clock, 5000, 100);
    const outcomes = await sent;
    expect(outcomes.filter(({ status }) => status === 'rejected')).toMatchObject([{ reason: { code: 'UNAVAILABLE' } }]);
    const { tasks } = await engine.list(ANN, { limit: 10, artifacts: true });
    expect(tasks.map((found) => artifactText(found))).toEqual(['ab', 'ab', 'ab', 'ab']);
  });

  test('repeated store failures use no attempts, and the task resumes within a lease', async () => {
    const doors: Deferred<void>[] = [];
    const { node, clock, store } = cluster(
      async function* run() {
        const door = deferred<void>();
        doors.push(door);
        yield 'a';
        await door.promise;
        yield 'b';
      },
      { variant, limits: { maxAttempts: 2 } },
    );
    const { connection, task, engine } = await node();
    const { id } = await task('go', { returnImmediately: true });
    for (let round = 1; round <= 10; round++) {
      await until(async () => doors.length === round && artifactText(await engine.get(ANN, id)) === 'a');
      expect((await store.read(ANN, id))?.record.attempts).toBe(1);
      connection.set('failing', 'append');
      doors.at(-1)?.resolve();
      await pass(clock, 2000, 500);
      connection.set('open');
      // A lease, and the next poll.
      await pass(clock, 16_000, 500);
    }
    await until(() => doors.length === 11);
    doors.at(-1)?.resolve();
    await until(async () => (await engine.get(ANN, id)).status.state === 'TASK_STATE_COMPLETED');
    expect(artifactText(await engine.get(ANN, id))).toBe('ab');
  });

  test('a write that a working store rejects uses an attempt', async () => {
    const clock = fakeClock();
    const inner = openStore(variant, clock);
    const append: Store['append'] = async (write) => {
      if (write.events?.some(({ body }) => body.includes('poison')) === true)
        throw new A2AError('INTERNAL_ERROR', 'Not this');
      return inner.append(write);
    };
    const agents = [runnable(async () => 'poison', { maxAttempts: 2 })];
    const store = withMethods(inner, { append });
    const { engine, task } = await startHarness({ store, agents, clock, maxSuspended: variant.maxSuspended }, clock);
    const { id } = await task('go', { returnImmediately: true });
    await pass(clock, 20_000, 500);
    expect((await engine.get(ANN, id)).status.state).toBe('TASK_STATE_FAILED');
  });
});
