import { describe, expect, test } from 'vitest';
import type { Worked } from '../../src/engine/on-demand/on-demand.ts';
import { deferred } from '../../src/support/deferred.ts';
import { Leaving } from '../../src/support/leave-signal.ts';
import { cluster, pass, turns } from './cluster.ts';
import { ANN, artifactText, statusText, until, VARIANTS } from './harness.ts';
import { onDemandCluster, SECOND, stateOf, STORED } from './on-demand-cluster.ts';

describe.each(VARIANTS)('$name', (variant) => {
  test('a node on demand runs a stored task only when work is called for it', async () => {
    const { node, clock } = onDemandCluster(async () => 'done', { variant });
    const [first, second] = [await node(), await node()];
    const { id } = await first.task('go', STORED);
    await pass(clock, 60 * SECOND, 5 * SECOND);
    expect(await stateOf(second, id)).toBe('submitted');

    expect(await second.engine.onDemand.work(id, { forMs: SECOND })).toBe('resting');
    expect(await stateOf(first, id)).toBe('completed');
  });

  test('a blocking send on a node on demand runs its task on that node', async () => {
    const { node } = onDemandCluster(async ({ text }) => text, { variant });
    expect(artifactText(await (await node()).task('hello'))).toBe('hello');
  });

  test('a task that several work calls name runs once', async () => {
    let runs = 0;
    const door = deferred<void>();
    const { node, clock } = onDemandCluster(
      async () => {
        runs++;
        await door.promise;
        return 'done';
      },
      { variant },
    );
    const [first, second] = [await node(), await node()];
    const { id } = await first.task('go', STORED);
    const options = { forMs: 10 * SECOND };
    const works = [first, first, second].map(({ engine }) => engine.onDemand.work(id, options));
    await until(() => runs > 0);
    await pass(clock, SECOND, 250);
    door.resolve();
    expect(await Promise.all(works)).toEqual(['resting', 'resting', 'resting']);
    expect(runs).toBe(1);
    expect(await first.engine.onDemand.work('no-such-task', { forMs: 0 })).toBe('resting');
  });

  test('a task that is unfinished at the deadline resumes on another node and repeats no step', async () => {
    const steps: string[] = [];
    const doors = [deferred<void>(), deferred<void>(), deferred<void>()];
    const { node, clock } = onDemandCluster(
      async function* run({ step }) {
        for (const [i, door] of doors.entries()) {
          yield `${await step(`${i}`, () => steps.push(`${i}`))} `;
          await door.promise;
        }
      },
      { variant, limits: { maxAttempts: 1 } },
    );
    const [first, second] = [await node(), await node()];
    const { id } = await first.task('go', STORED);
    for (const [i, engine] of [first.engine, second.engine, first.engine].entries()) {
      const worked = engine.onDemand.work(id, { forMs: 10 * SECOND });
      await until(() => steps.length === i + 1);
      await pass(clock, 5 * SECOND, SECOND);
      if (i === 2) doors[2]?.resolve();
      await pass(clock, 5 * SECOND, SECOND);
      expect(await worked).toBe(i === 2 ? 'resting' : 'unfinished');
      doors[i]?.resolve();
    }
    expect(steps).toEqual(['0', '1', '2']);
    expect(artifactText(await second.engine.get(ANN, id))).toBe('1 2 3 ');
  });

  test('a task without progress fails after maxAttempts deadlines', async () => {
    let runs = 0;
    const { node, clock } = onDemandCluster(
      () => {
        runs++;
        return new Promise<string>(() => {});
      },
      { variant, limits: { maxAttempts: 3 } },
    );
    const only = await node();
    const { id } = await only.task('go', STORED);
    const worked: Worked[] = [];
    for (let i = 0; i < 4; i++) {
      const work = only.engine.onDemand.work(id, { forMs: 10 * SECOND });
      await turns(20);
      await pass(clock, 10 * SECOND, 5 * SECOND);
      worked.push(await work);
    }
    expect(worked).toEqual(['unfinished', 'unfinished', 'unfinished', 'resting']);
    expect(runs).toBe(3);
    expect(statusText(await only.engine.get(ANN, id))).toBe('The task was interrupted 3 times and will not be retried');
  });

  test('timeoutMs counts the working time of all nodes between two pauses', async () => {
    const { node, clock } = onDemandCluster(
      async ({ ask }) => {
        await ask('Go?');
        return new Promise<string>(() => {});
      },
      { variant, limits: { timeoutMs: 25 * SECOND, maxAttempts: 10 } },
    );
    const only = await node();
    const asked = await only.task('go');
    const { id } = await only.reply(asked, 'yes', STORED);
    const worked: Worked[] = [];
    for (let i = 0; i < 4; i++) {
      const work = only.engine.onDemand.work(id, { forMs: 10 * SECOND });
      await turns(20);
      await pass(clock, 10 * SECOND, SECOND);
      worked.push(await work);
    }
    expect(worked).toEqual(['unfinished', 'unfinished', 'resting', 'resting']);
    expect(statusText(await only.engine.get(ANN, id))).toBe('Task timed out');
  });

  test('a task stays on its node at a deadline while another request there has time for it', async () => {
    let runs = 0;
    const door = deferred<void>();
    const { node, clock } = onDemandCluster(
      async () => {
        runs++;
        await door.promise;
        return 'done';
      },
      { variant },
    );
    const only = await node();
    const { id } = await only.task('go', STORED);
    const [short, long] = [SECOND, 10 * SECOND].map((forMs) => only.engine.onDemand.work(id, { forMs }));
    await until(() => runs === 1);
    await pass(clock, 2 * SECOND, 500);
    expect(await short).toBe('resting');
    door.resolve();
    await pass(clock, SECOND, 250);
    expect(await long).toBe('resting');
    expect([await stateOf(only, id), runs]).toEqual(['completed', 1]);
  });

  test('a client that disconnects releases the task at once without using an attempt', async () => {
    let runs = 0;
    const { node } = onDemandCluster(
      ({ signal }) => {
        runs++;
        return new Promise<string>((_, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason as Error)),
        );
      },
      { variant, limits: { maxAttempts: 1 } },
    );
    const only = await node();
    const { id } = await only.task('go', STORED);
    for (let i = 1; i <= 3; i++) {
      const leaving = new Leaving();
      const work = only.engine.onDemand.work(id, { forMs: SECOND, signal: leaving, lingers: true });
      await until(() => runs === i);
      leaving.leave();
      expect(await work).toBe('unfinished');
    }
    expect(['submitted', 'working']).toContain(await stateOf(only, id));
  });

  test('a handler with recovery "fail" is not released at the deadline', async () => {
    const door = deferred<void>();
    const { node, clock } = onDemandCluster(
      async () => {
        await door.promise;
        return 'done';
      },
      { variant, limits: { recovery: 'fail' } },
    );
    const only = await node();
    const { id } = await only.task('go', STORED);
    const work = only.engine.onDemand.work(id, { forMs: SECOND });
    await turns(20);
    await pass(clock, SECOND);
    expect(await work).toBe('resting');
    door.resolve();
    await until(async () => (await stateOf(only, id)) === 'completed');
  });

  test('work waits for a sleep that ends before its deadline, and returns at a longer one', async () => {
    const { node, clock } = onDemandCluster(
      async ({ text, sleep }) => {
        await sleep(Number(text));
        return 'awake';
      },
      { variant },
    );
    const only = await node();
    const { id: short } = await only.task('2000', STORED);
    const { id: long } = await only.task('60000', STORED);
    const works = [short, long].map((id) => only.engine.onDemand.work(id, { forMs: 10 * SECOND }));
    expect(await works[1]).toBe('resting');
    await pass(clock, 3 * SECOND, 500);
    expect(await works[0]).toBe('resting');
    expect(await Promise.all([short, long].map((id) => stateOf(only, id)))).toEqual(['completed', 'working']);

    await pass(clock, 60 * SECOND, 5 * SECOND);
    expect(await stateOf(only, long)).toBe('working');
    const swept = await only.engine.onDemand.sweep({ forMs: SECOND, limit: 10 });
    expect(swept).toEqual({ taken: 1, unfinished: [], hasMore: false });
    expect(await stateOf(only, long)).toBe('completed');
  });

  test('the node on demand that takes an answer resumes the task', async () => {
    const { node } = onDemandCluster(async ({ ask }) => `Off to ${await ask('Where to?')}`, { variant });
    const [first, second] = [await node(), await node()];
    const asked = await first.task('go');
    expect(asked.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    let work: Promise<Worked> | undefined;
    const leaving = new Leaving();
    const onStored = (id: string): void => {
      work = second.engine.onDemand.work(id, { forMs: SECOND, lingers: true, signal: leaving });
    };
    const done = await second.reply(asked, 'Rome', { onStored });
    leaving.leave();
    expect([artifactText(done), await work]).toEqual(['Off to Rome', 'resting']);
  });

  test('a release that the store rejects is retried', async () => {
    let runs = 0;
    const { node, clock } = onDemandCluster(({ signal }) => (++runs === 1 ? ended(signal) : 'done'), { variant });
    const [first, second] = [await node(), await node()];
    const { id } = await first.task('go', STORED);
    const work = first.engine.onDemand.work(id, { forMs: SECOND });
    await until(() => runs === 1);
    first.connection.set('failing', 'append');
    await pass(clock, SECOND);
    expect(await work).toBe('unfinished');
    first.connection.set('open');
    await pass(clock, SECOND, 250);
    expect(await second.engine.onDemand.work(id, { forMs: 0 })).toBe('resting');
    expect([await stateOf(second, id), runs]).toEqual(['completed', 2]);
  });

  test('a task that could not be loaded is released', async () => {
    const { node, clock } = onDemandCluster(async () => 'done', { variant });
    const [first, second] = [await node(), await node()];
    const { id } = await first.task('go', STORED);
    first.connection.set('failing', 'journal', 'read');
    expect(await first.engine.onDemand.work(id, { forMs: 100 })).toBe('resting');
    await pass(clock, SECOND, 250);
    expect(await second.engine.onDemand.sweep({ forMs: SECOND, limit: 10 })).toMatchObject({ taken: 1 });
    expect(await stateOf(second, id)).toBe('completed');
  });

  test('a process that was frozen during a task writes nothing after another node has taken it over', async () => {
    const ends: string[] = [];
    const door = deferred<void>();
    const { node, clock } = onDemandCluster(
      async function* run({ step, signal }) {
        yield 'one ';
        await step('wait', () => Promise.race([door.promise, ended(signal)]));
        yield 'two';
        ends.push('end');
      },
      { variant },
    );
    const [frozen, other] = [await node(), await node()];
    const { id } = await frozen.task('go', STORED);
    const work = frozen.engine.onDemand.work(id, { forMs: 600 * SECOND });
    await until(async () => artifactText(await other.engine.get(ANN, id)) === 'one ');
    frozen.connection.set('held');
    clock.advance(30 * SECOND);
    door.resolve();
    const swept = await other.engine.onDemand.sweep({ forMs: 10 * SECOND, limit: 10 });
    expect(swept).toEqual({ taken: 1, unfinished: [], hasMore: false });
    const before = await other.store.events(id, 0, 100);

    frozen.connection.set('open');
    await pass(clock, SECOND, 250);
    expect(await work).toBe('resting');
    await turns(20);
    expect(await other.store.events(id, 0, 100)).toEqual(before);
    expect(artifactText(await other.engine.get(ANN, id))).toBe('one two');
  });

  test('the time that a process was frozen does not count towards timeoutMs', async () => {
    let runs = 0;
    const door = deferred<void>();
    const { node, clock } = onDemandCluster(
      async () => {
        runs++;
        await door.promise;
        return 'done';
      },
      { variant, limits: { timeoutMs: 60 * SECOND } },
    );
    const only = await node();
    const { id } = await only.task('go', STORED);
    const work = only.engine.onDemand.work(id, { forMs: 3600 * SECOND });
    await until(() => runs === 1);
    clock.advance(600 * SECOND);
    await turns(20);
    door.resolve();
    await pass(clock, SECOND, 250);
    expect(await work).toBe('resting');
    expect([await stateOf(only, id), runs]).toEqual(['completed', 2]);
  });

  test('a process that was frozen sends a heartbeat before it creates a task', async () => {
    const door = deferred<void>();
    const { node, clock } = onDemandCluster(
      async () => {
        await door.promise;
        return 'done';
      },
      { variant },
    );
    const [woken, other] = [await node(), await node()];
    woken.connection.set('held', 'heartbeat');
    clock.advance(60 * SECOND);
    await turns(5);
    const task = woken.task('go');
    await turns(20);
    expect(woken.connection.calls.filter((name) => name === 'create')).toEqual([]);
    woken.connection.set('open');
    await until(() => woken.connection.calls.includes('create'));
    await turns(5);
    expect(await other.engine.onDemand.sweep({ forMs: 0, limit: 10 })).toMatchObject({ taken: 0 });
    door.resolve();
    expect(artifactText(await task)).toBe('done');
  });
});

test('onDemand throws on an engine that was not started with it', async () => {
  const only = await cluster(async () => 'done').node();
  expect(() => only.engine.onDemand).toThrow('The engine was not started with onDemand');
});

function ended(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
}
