/** Suspects: tasks that a process was running when it died, one of which may have killed it. */
import { describe, expect, test } from 'vitest';
import { deferred } from '../../src/support/deferred.ts';
import { cluster, type Node, pass, turns } from './cluster.ts';
import { ANN, runnable, statusText, STORES, until } from './harness.ts';

const IMMEDIATELY = { returnImmediately: true };
/** Longer than a lease lasts without a heartbeat. */
const DEAD_MS = 20_000;
/** A little longer than a suspect is observed. */
const TRIAL_MS = 31_000;

async function stateOf({ engine }: Node, id: string): Promise<string> {
  return (await engine.get(ANN, id)).status.state;
}

describe.each(STORES)('$name', (variant) => {
  test('a task that kills its process at each attempt fails, and the tasks beside it complete', async () => {
    const mayEnd = deferred<void>();
    const begun: string[] = [];
    const { node, clock } = cluster(
      async ({ text }) => {
        begun.push(text);
        if (text === 'poison') return new Promise(() => {});
        await mayEnd.promise;
        return 'done';
      },
      { variant, limits: { maxAttempts: 3, timeoutMs: 60 * 60_000 } },
    );
    let current = await node();
    const innocent = [];
    for (const text of ['one', 'two']) innocent.push(await current.task(text, IMMEDIATELY));
    const poison = await current.task('poison', IMMEDIATELY);
    innocent.push(await current.task('three', IMMEDIATELY));
    await until(() => begun.length === 4);
    for (let crashes = 1; crashes <= 3; crashes++) {
      begun.length = 0;
      current.kill();
      await pass(clock, DEAD_MS, 5000);
      current = await node();
      for (let i = 0; i < 100 && !begun.includes('poison'); i++) {
        if ((await stateOf(current, poison.id)) === 'TASK_STATE_FAILED') break;
        await pass(clock, 2000);
      }
    }
    await until(async () => (await stateOf(current, poison.id)) === 'TASK_STATE_FAILED');
    expect(statusText(await current.engine.get(ANN, poison.id))).toBe(
      'The task was interrupted 3 times and will not be retried',
    );
    mayEnd.resolve();
    for (let i = 0; i < 5; i++) await pass(clock, TRIAL_MS, 1000);
    for (const { id } of innocent) expect(await stateOf(current, id)).toBe('TASK_STATE_COMPLETED');
    expect(current.log.map(({ message }) => message)).toContain('Task failed after too many interruptions');
  });

  test('a node runs one suspect at a time for 30 s each, and new tasks beside it', async () => {
    const begun: string[] = [];
    const { node, clock } = cluster(
      async ({ text }) => {
        begun.push(text);
        return text === 'new' ? 'done' : new Promise(() => {});
      },
      { variant, limits: { timeoutMs: 60 * 60_000 } },
    );
    const first = await node();
    for (const text of ['one', 'two', 'three']) await first.task(text, IMMEDIATELY);
    await until(() => begun.length === 3);
    first.kill();
    await pass(clock, DEAD_MS, 5000);
    begun.length = 0;

    const second = await node();
    await until(() => begun.length === 1);
    await pass(clock, 29_000);
    expect(begun).toEqual(['one']);
    expect((await second.task('new')).status.state).toBe('TASK_STATE_COMPLETED');
    await pass(clock, 2000);
    expect(begun).toEqual(['one', 'new', 'two']);
    await pass(clock, TRIAL_MS);
    expect(begun).toEqual(['one', 'new', 'two', 'three']);
  });

  test.each(['records a step', 'pauses', 'ends'])(
    'the next suspect begins as soon as the one before it %s',
    async (what) => {
      const begun: string[] = [];
      const { node, clock } = cluster(
        async ({ text, step, ask }) => {
          begun.push(text);
          if (begun.length <= 2) await new Promise(() => {});
          if (what === 'records a step') await step('one', () => 1);
          else if (what === 'pauses') await ask('Well?');
          else return 'done';
          return new Promise(() => {});
        },
        { variant },
      );
      const first = await node();
      for (const text of ['one', 'two']) await first.task(text, IMMEDIATELY);
      await until(() => begun.length === 2);
      first.kill();
      await pass(clock, DEAD_MS, 5000);

      await node();
      await until(() => begun.length === 4);
      expect(begun.slice(2)).toEqual(['one', 'two']);
    },
  );

  test('a task that records a step in every run survives more crashes than maxAttempts, up to maxCrashes', async () => {
    let runs = 0;
    const { node, clock } = cluster(
      async ({ step }) => {
        runs += 1;
        for (let i = 1; i <= runs; i++) await step(`step ${i}`, () => i);
        return new Promise(() => {});
      },
      { variant, limits: { maxAttempts: 2, maxCrashes: 6, timeoutMs: 60 * 60_000 } },
    );
    let current = await node();
    const { id } = await current.task('go', IMMEDIATELY);
    for (let crashes = 1; crashes <= 7; crashes++) {
      await until(async () => (await current.store.journal(id, 0)).length >= crashes);
      await turns(20);
      expect([crashes, runs, await stateOf(current, id)]).toEqual([crashes, crashes, 'TASK_STATE_WORKING']);
      current.kill();
      await pass(clock, DEAD_MS, 5000);
      current = await node();
    }
    await until(async () => (await stateOf(current, id)) === 'TASK_STATE_FAILED');
    expect(statusText(await current.engine.get(ANN, id))).toBe(
      'The process crashed 7 times while running the task, so it will not be retried',
    );
  });

  test('a handler with recovery fail is not run again, also if the crash counts for another task', async () => {
    const begun: string[] = [];
    const run = async ({ text }: { readonly text: string }): Promise<void> => {
      begun.push(text);
      return new Promise(() => {});
    };
    const timeoutMs = 60 * 60_000;
    const { node, clock } = cluster(run, { variant, limits: { timeoutMs } });
    const careful = runnable(run, { timeoutMs, recovery: 'fail' }, 'careful');
    const agents = [runnable(run, { timeoutMs }), careful];
    const first = await node({ agents });
    await first.task('suspect', IMMEDIATELY);
    await until(() => begun.length === 1);
    first.kill();
    await pass(clock, DEAD_MS, 5000);
    const second = await node({ agents });
    await until(() => begun.length === 2);
    const beside = await second.task('beside', { ...IMMEDIATELY, agent: 'careful' });
    await until(() => begun.length === 3);
    second.kill();
    await pass(clock, DEAD_MS, 5000);

    const third = await node({ agents: [careful] });
    await until(async () => (await stateOf(third, beside.id)) === 'TASK_STATE_FAILED');
    expect(begun).toEqual(['suspect', 'suspect', 'beside']);
  });
});
