/** What running tasks hold in memory is bounded for the process. */
import { describe, expect, test } from 'vitest';
import { deferred } from '../../src/support/deferred.ts';
import { ANN, artifactText, type Harness, harness, statusText, STORES, until } from './harness.ts';

const KIB = 'x'.repeat(1024);
const BOUND = 64 * 1024;

const stateOf = async ({ engine }: Harness, id: string): Promise<string> => (await engine.get(ANN, id)).status.state;

describe.each(STORES)('$name', (variant) => {
  test('runs wait for memory, no task begins meanwhile, and all continue when there is some', async () => {
    const [mayEnd, isFull] = [deferred<void>(), deferred<void>()];
    const begun: string[] = [];
    const node = await harness(
      async ({ text, artifact }) => {
        begun.push(text);
        if (text === 'big') {
          for (let i = 0; i < 70; i++) await artifact('big').append(KIB);
          isFull.resolve();
          await mayEnd.promise;
          return 'done';
        }
        await isFull.promise;
        for (const piece of ['a', 'b', 'c']) await artifact('small').append(piece);
        return 'done';
      },
      { variant, maxRunBytes: BOUND },
    );
    const small = await node.task('small', { returnImmediately: true });
    await until(() => begun.length === 1);
    const big = await node.task('big', { returnImmediately: true });
    await isFull.promise;
    const late = await node.task('late', { returnImmediately: true });
    // The first output is there, the second one waits.
    await until(async () => artifactText(await node.engine.get(ANN, small.id), 'small') === 'a');
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(artifactText(await node.engine.get(ANN, small.id), 'small')).toBe('a');
    expect(begun).toEqual(['small', 'big']);
    mayEnd.resolve();
    for (const { id } of [big, small, late])
      await until(async () => (await stateOf(node, id)) === 'TASK_STATE_COMPLETED');
    expect(artifactText(await node.engine.get(ANN, small.id), 'small')).toBe('abc');
  });

  test('a run that waits for memory for 30 s fails with a reason that its caller can read', async () => {
    const isFull = deferred<void>();
    const node = await harness(
      async ({ text, artifact, signal }) => {
        if (text === 'big') {
          for (let i = 0; i < 70; i++) await artifact('big').append(KIB);
          isFull.resolve();
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
          return;
        }
        await isFull.promise;
        for (const piece of ['a', 'b', 'c']) await artifact('small').append(piece);
      },
      { variant, maxRunBytes: BOUND },
    );
    const small = await node.task('small', { returnImmediately: true });
    await node.task('big', { returnImmediately: true });
    await isFull.promise;
    await until(async () => {
      node.clock.advance(1000);
      return (await stateOf(node, small.id)) === 'TASK_STATE_FAILED';
    });
    expect(statusText(await node.engine.get(ANN, small.id))).toBe(
      'The agent has no memory left for more output: too much is in work. Try again later',
    );
  });

  test('a run that waits for an answer holds no memory of the running ones', async () => {
    const node = await harness(
      async ({ text, artifact, ask }) => {
        for (let i = 0; i < 70; i++) await artifact('big').append(KIB);
        return text === 'asks' ? ask('Who?') : 'done';
      },
      { variant, maxRunBytes: BOUND },
    );
    const asking = await node.task('asks');
    expect(statusText(asking)).toBe('Who?');
    expect((await node.task('another')).status.state).toBe('TASK_STATE_COMPLETED');
    const done = await node.reply(asking, 'Ann');
    expect(artifactText(done)).toBe('Ann');
  });

  test('a handler that does not wait for room is stopped at twice the bound', async () => {
    const node = await harness(
      async ({ artifact }) => {
        const said = Array.from({ length: 200 }, () => artifact('big').append(KIB));
        await Promise.all(said);
      },
      { variant, maxRunBytes: BOUND },
    );
    const failed = await node.task('go');
    expect(failed.status.state).toBe('TASK_STATE_FAILED');
    expect(artifactText(failed, 'big')?.length).toBeLessThan(3 * BOUND);
  });
});
