/** The memory of running tasks is bounded per process. */
import { describe, expect, test } from 'vitest';
import { Metrics } from '../../src/observe/metrics.ts';
import { deferred } from '../../src/support/deferred.ts';
import { ANN, artifactText, BOB, type Harness, harness, statusText, STORES, until } from './harness.ts';

const KIB = 'x'.repeat(1024);
const BOUND = 64 * 1024;
const AS_BOB = { ...BOB, caller: { id: 'bob', isVerified: true } };

const stateOf = async ({ engine }: Harness, id: string): Promise<string> => (await engine.get(ANN, id)).status.state;

const bytesOf = (metrics: Metrics): number => Number(/^tandem_run_bytes (\S+)$/m.exec(metrics.text())?.[1]);

async function turns(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
}

describe.each(STORES)('$name', (variant) => {
  test('while runs wait for memory, their caller starts no task and other callers are served', async () => {
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
      'The running tasks of this agent use all the memory allowed for them, so this task cannot publish more output. Try again later.',
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

  test('a handler that does not await its outputs is stopped at twice the bound, and other handlers continue', async () => {
    const isFull = deferred<void>();
    const mayEnd = deferred<void>();
    const node = await harness(
      async ({ text, artifact }) => {
        if (text === 'first') {
          for (let i = 0; i < 70; i++) await artifact('big').append(KIB);
          isFull.resolve();
          await mayEnd.promise;
        }
        if (text === 'impatient') await Promise.all(Array.from({ length: 200 }, () => artifact('big').append(KIB)));
        return 'done';
      },
      { variant, maxRunBytes: BOUND },
    );
    const first = await node.task('first', { returnImmediately: true });
    await isFull.promise;
    const failed = await node.task('impatient', AS_BOB);
    expect(failed.status.state).toBe('TASK_STATE_FAILED');
    expect(artifactText(failed, 'big')?.length).toBeLessThan(2 * BOUND);
    expect((await node.task('little', AS_BOB)).status.state).toBe('TASK_STATE_COMPLETED');
    mayEnd.resolve();
    await until(async () => (await stateOf(node, first.id)) === 'TASK_STATE_COMPLETED');
  });

  test.each([0, 1000])(
    'a run holds no memory while it is suspended or after its end, with maxSuspended %i',
    async (maxSuspended) => {
      const metrics = new Metrics();
      const mayWrite = deferred<void>();
      const node = await harness(
        async ({ artifact, ask }) => {
          for (let i = 0; i < 20; i++) await artifact('first').append(KIB);
          const late = mayWrite.promise.then(async () => artifact('late').append(KIB));
          await ask('Who?');
          await late;
          return 'done';
        },
        { variant, maxSuspended, observers: { metrics } },
      );
      const asking = await node.task('go');
      expect(bytesOf(metrics)).toBe(0);
      mayWrite.resolve();
      await turns();
      const done = await node.reply(asking, 'Ann');
      expect(done.status.state).toBe('TASK_STATE_COMPLETED');
      await until(() => bytesOf(metrics) === 0);

      const canceled = await node.task('go');
      await node.engine.cancel(ANN, canceled.id);
      expect(bytesOf(metrics)).toBe(0);
      await node.task('go');
      await node.engine.close();
      expect(bytesOf(metrics)).toBe(0);
    },
  );

  test('the bytes of messages and answers count towards the memory of a run', async () => {
    const metrics = new Metrics();
    const seen: number[] = [];
    const node = await harness(
      async ({ ask }) => {
        seen.push(bytesOf(metrics));
        await ask('Who?');
        seen.push(bytesOf(metrics));
        return 'done';
      },
      { variant, observers: { metrics } },
    );
    await node.reply(await node.task(KIB), KIB.repeat(2));
    expect(seen[0]).toBeGreaterThan(1024);
    expect(seen.at(-1)).toBeGreaterThan(3 * 1024);
    await until(() => bytesOf(metrics) === 0);
  });

  test('a handler that waits for memory gets an error when its task is canceled', async () => {
    const isFull = deferred<void>();
    const outcome = deferred<unknown>();
    const node = await harness(
      async ({ text, artifact, signal }) => {
        if (text === 'big') {
          for (let i = 0; i < 70; i++) await artifact('big').append(KIB);
          isFull.resolve();
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
          return;
        }
        await isFull.promise;
        try {
          for (let i = 0; i < 3; i++) await artifact('waits').append(KIB);
          outcome.resolve('published');
        } catch (error) {
          outcome.resolve(error);
        }
      },
      { variant, maxRunBytes: BOUND },
    );
    const waiting = await node.task('waits', { returnImmediately: true });
    await node.task('big', { returnImmediately: true });
    await isFull.promise;
    await until(async () => artifactText(await node.engine.get(ANN, waiting.id), 'waits')?.length === 1024);
    await turns();
    const canceled = node.engine.cancel(ANN, waiting.id);
    await until(async () => {
      node.clock.advance(1000);
      return (await stateOf(node, waiting.id)) === 'TASK_STATE_CANCELED';
    });
    await canceled;
    expect(await outcome.promise).toMatchObject({ name: 'AbortError' });
  });
});
