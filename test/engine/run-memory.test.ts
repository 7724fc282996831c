/** What running tasks hold in memory is bounded for the process. */
import { describe, expect, test } from 'vitest';
import { deferred } from '../../src/support/deferred.ts';
import { ANN, artifactText, BOB, type Harness, harness, statusText, STORES, until } from './harness.ts';

const KIB = 'x'.repeat(1024);
const BOUND = 64 * 1024;
const AS_BOB = { ...BOB, caller: { id: 'bob', isVerified: true } };

const stateOf = async ({ engine }: Harness, id: string): Promise<string> => (await engine.get(ANN, id)).status.state;

async function turns(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
}

describe.each(STORES)('$name', (variant) => {
  test('runs wait for memory, their caller begins no task meanwhile, and others are served', async () => {
    const [mayEnd, isFull] = [deferred<void>(), deferred<void>()];
    const begun: string[] = [];
    const node = await harness(
      async ({ text, artifact }) => {
        begun.push(text);
        if (text === 'little') return 'done';
        if (text === 'big') {
          for (let i = 0; i < 70; i++) await artifact('big').append(KIB);
          isFull.resolve();
          await mayEnd.promise;
          return 'done';
        }
        await isFull.promise;
        for (let i = 0; i < 3; i++) await artifact('waits').append(KIB);
        return 'done';
      },
      { variant, maxRunBytes: BOUND },
    );
    const waiting = await node.task('waits', { returnImmediately: true });
    await until(() => begun.length === 1);
    const big = await node.task('big', { returnImmediately: true });
    await isFull.promise;
    const late = await node.task('late', { returnImmediately: true });
    // The first output is published, the second one waits.
    await until(async () => artifactText(await node.engine.get(ANN, waiting.id), 'waits')?.length === 1024);
    await turns();
    expect(artifactText(await node.engine.get(ANN, waiting.id), 'waits')).toHaveLength(1024);
    expect(begun).toEqual(['waits', 'big']);
    expect((await node.task('little', AS_BOB)).status.state).toBe('TASK_STATE_COMPLETED');
    mayEnd.resolve();
    for (const { id } of [big, waiting, late])
      await until(async () => (await stateOf(node, id)) === 'TASK_STATE_COMPLETED');
    expect(artifactText(await node.engine.get(ANN, waiting.id), 'waits')).toHaveLength(3 * 1024);
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
        for (let i = 0; i < 3; i++) await artifact('waits').append(KIB);
      },
      { variant, maxRunBytes: BOUND },
    );
    const waiting = await node.task('waits', { returnImmediately: true });
    await node.task('big', { returnImmediately: true });
    await isFull.promise;
    await until(async () => {
      node.clock.advance(1000);
      return (await stateOf(node, waiting.id)) === 'TASK_STATE_FAILED';
    });
    expect(statusText(await node.engine.get(ANN, waiting.id))).toBe(
      'The running tasks of the agent take all the memory they may have, so this one cannot publish more. Try again later',
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
        const published = Array.from({ length: 200 }, () => artifact('big').append(KIB));
        await Promise.all(published);
      },
      { variant, maxRunBytes: BOUND },
    );
    const failed = await node.task('go');
    expect(failed.status.state).toBe('TASK_STATE_FAILED');
    expect(artifactText(failed, 'big')?.length).toBeLessThan(3 * BOUND);
  });
});
