import { describe, expect, test } from 'vitest';
import { A2AError } from '../../src/errors.ts';
import { newRecord } from '../../src/store/guard.ts';
import type { Store } from '../../src/store/store.ts';
import { deferred } from '../../src/support/deferred.ts';
import { fakeClock } from '../../src/testing/fake-clock.ts';
import { cluster, pass, untilAborted, turns } from './cluster.ts';
import { ANN, artifactText, openStore, runnable, startHarness, until, VARIANTS, withMethods } from './harness.ts';

describe.each(VARIANTS)('$name', (variant) => {
  test('a handler may start before its task is stored, but its steps wait until it is stored', async () => {
    const done: string[] = [];
    const { node } = cluster(
      async ({ step }) => {
        done.push('begins');
        await step('effect', () => void done.push('step'));
        return 'done';
      },
      { variant },
    );
    const { connection, task } = await node();
    connection.set('late', 'create');
    const sent = task('go');
    await until(() => done.length > 0);
    await turns(20);
    expect(done).toEqual(['begins']);
    connection.set('open');
    expect(artifactText(await sent)).toBe('done');
    expect(done).toEqual(['begins', 'step']);
  });

  test('a handler with recovery "fail" does not start before its task is stored', async () => {
    let hasBegun = false;
    const run = async (): Promise<string> => {
      hasBegun = true;
      return 'done';
    };
    const { node } = cluster(run, { variant, limits: { recovery: 'fail' } });
    const { connection, task } = await node();
    connection.set('late', 'create');
    const sent = task('go');
    await turns(20);
    expect(hasBegun).toBe(false);
    connection.set('open');
    expect(artifactText(await sent)).toBe('done');
  });

  test('send does not return before the creation of its task is stored', async () => {
    const { node } = cluster(async () => 'done', { variant });
    const { connection, task } = await node();
    connection.set('late', 'create');
    let isAnswered = false;
    const sent = task('go').finally(() => (isAnswered = true));
    await turns(20);
    expect(isAnswered).toBe(false);
    connection.set('open');
    expect(artifactText(await sent)).toBe('done');
  });

  test('a run whose task could not be stored is aborted, does no step and frees its slot', async () => {
    const clock = fakeClock();
    const inner = openStore(variant, clock);
    let isFailing = true;
    const create: Store['create'] = async (task, accepted) => {
      if (!isFailing) return inner.create(task, accepted);
      accepted?.(newRecord(task));
      await turns(5);
      throw new A2AError('UNAVAILABLE', 'The disk is on fire');
    };
    const seen: string[] = [];
    const agent = runnable(
      async ({ step, signal, text }) => {
        const effect = step('effect', () => void seen.push(`step for ${text}`));
        effect.catch((error: Error) => seen.push(`step rejected: ${error.message}`));
        if (text === 'first') {
          await untilAborted(signal);
          seen.push(`aborted: ${(signal.reason as Error).message}`);
          await step('late', () => void seen.push('late step')).catch(() => seen.push('late step rejected'));
        } else await effect;
        return 'done';
      },
      { concurrency: 1 },
    );
    const { engine, task } = await startHarness(
      { store: withMethods(inner, { create }), agents: [agent], clock, maxSuspended: variant.maxSuspended },
      clock,
    );
    await expect(task('first')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await until(() => seen.includes('late step rejected'));
    isFailing = false;
    expect(artifactText(await task('second'))).toBe('done');
    expect(seen.toSorted()).toEqual([
      'aborted: The task could not be stored',
      'late step rejected',
      'step for second',
      'step rejected: The task could not be stored',
    ]);
    expect((await engine.list(ANN, { limit: 5 })).total).toBe(1);
  });

  test('a run whose task is not stored yet continues when its node polls for lost hints', async () => {
    const clock = fakeClock();
    const inner = openStore(variant, clock);
    const [stored, ended] = [deferred<void>(), deferred<void>()];
    const create: Store['create'] = async (task, accepted) => {
      accepted?.(newRecord(task));
      await stored.promise;
      return inner.create(task);
    };
    let runs = 0;
    const run = async (): Promise<string> => {
      runs++;
      await ended.promise;
      return 'done';
    };
    const { task } = await startHarness(
      { store: withMethods(inner, { create }), agents: [runnable(run)], clock, maxSuspended: variant.maxSuspended },
      clock,
    );
    const sent = task('go');
    await until(() => runs === 1);
    // A node checks its runs at every fifth poll: the store does not know the task then.
    await pass(clock, 12_000, 1000);
    stored.resolve();
    ended.resolve();

    expect(artifactText(await sent)).toBe('done');
    expect(runs).toBe(1);
  });

  test('a bare reply is returned after its task was stored, also by a store that reports acceptance first', async () => {
    const clock = fakeClock();
    const inner = openStore(variant, clock);
    const create: Store['create'] = async (task, accepted) => {
      accepted?.(newRecord(task));
      await turns(5);
      return inner.create(task);
    };
    const { send, engine } = await startHarness(
      {
        store: withMethods(inner, { create }),
        agents: [runnable(async ({ reply }) => reply('bare'))],
        clock,
        maxSuspended: variant.maxSuspended,
      },
      clock,
    );
    expect(await send('go')).toMatchObject({ message: { parts: [{ text: 'bare' }] } });
    expect((await engine.list(ANN, { limit: 5 })).total).toBe(0);
  });
});
