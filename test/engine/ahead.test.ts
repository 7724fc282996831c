import { describe, expect, test } from 'vitest';
import { A2AError } from '../../src/errors.ts';
import { newRecord } from '../../src/store/guard.ts';
import type { Store } from '../../src/store/store.ts';
import { deferred } from '../../src/support/deferred.ts';
import { fakeClock } from '../../src/testing/fake-clock.ts';
import { cluster, pass, toldToStop, turns } from './faults.ts';
import { ANN, artifactText, openStore, runnable, startHarness, until, VARIANTS, withMethods } from './harness.ts';

describe.each(VARIANTS)('$name', (variant) => {
  test('a handler may begin before its task is stored, but what it does in a step waits', async () => {
    const done: string[] = [];
    const { node } = cluster(
      async ({ step }) => {
        done.push('begins');
        await step('effect', () => void done.push('step'));
        return 'done';
      },
      { variant },
    );
    const { line, task } = await node();
    line.set('late', 'create');
    const sent = task('go');
    await until(() => done.length > 0);
    await turns(20);
    expect(done).toEqual(['begins']);
    line.set('open');
    expect(artifactText(await sent)).toBe('done');
    expect(done).toEqual(['begins', 'step']);
  });

  test('a handler that must not run twice does not begin before its task is stored', async () => {
    let hasBegun = false;
    const run = async (): Promise<string> => {
      hasBegun = true;
      return 'done';
    };
    const { node } = cluster(run, { variant, limits: { recovery: 'fail' } });
    const { line, task } = await node();
    line.set('late', 'create');
    const sent = task('go');
    await turns(20);
    expect(hasBegun).toBe(false);
    line.set('open');
    expect(artifactText(await sent)).toBe('done');
  });

  test('nobody hears of a task whose creation is on its way', async () => {
    const { node } = cluster(async () => 'done', { variant });
    const { line, task } = await node();
    line.set('late', 'create');
    let isAnswered = false;
    const sent = task('go').finally(() => (isAnswered = true));
    await turns(20);
    expect(isAnswered).toBe(false);
    line.set('open');
    expect(artifactText(await sent)).toBe('done');
  });

  test('a run whose task could not be stored is over, its steps are not done, and its place is free', async () => {
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
        effect.catch((error: Error) => seen.push(`step refused: ${error.message}`));
        if (text === 'first') {
          await toldToStop(signal);
          seen.push(`told: ${(signal.reason as Error).message}`);
          await step('late', () => void seen.push('late step')).catch(() => seen.push('late step refused'));
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
    await until(() => seen.includes('late step refused'));
    isFailing = false;
    expect(artifactText(await task('second'))).toBe('done');
    expect(seen.toSorted()).toEqual([
      'late step refused',
      'step for second',
      'step refused: The task could not be stored',
      'told: The task could not be stored',
    ]);
    expect((await engine.list(ANN, { limit: 5 })).total).toBe(1);
  });

  test('a run whose task is not stored yet survives when its node looks for hints that were lost', async () => {
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
    // A node looks once in five polls: the store knows of no such task then.
    await pass(clock, 12_000, 1000);
    stored.resolve();
    ended.resolve();

    expect(artifactText(await sent)).toBe('done');
    expect(runs).toBe(1);
  });

  test('a reply is given after its task is stored, whatever the order in which the store does things', async () => {
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
