import { describe, expect, test } from 'vitest';
import type { Worked } from '../../src/engine/on-demand/on-demand.ts';
import { deferred } from '../../src/support/deferred.ts';
import { Leaving } from '../../src/support/leave-signal.ts';
import { cluster, pass, turns } from './faults.ts';
import { ANN, artifactText, statusText, until, VARIANTS } from './harness.ts';
import { hosts, SECOND, stateOf, STORED } from './on-demand-hosts.ts';

describe.each(VARIANTS)('$name', (variant) => {
  test('nothing is run that nobody asked for', async () => {
    const { node, clock } = hosts(async () => 'done', { variant });
    const [first, second] = [await node(), await node()];
    const { id } = await first.task('go', STORED);
    await pass(clock, 60 * SECOND, 5 * SECOND);
    expect(await stateOf(second, id)).toBe('submitted');

    expect(await second.engine.onDemand.work(id, { forMs: SECOND })).toBe('resting');
    expect(await stateOf(first, id)).toBe('completed');
  });

  test('who waits for a task has it run where he waits', async () => {
    const { node } = hosts(async ({ text }) => text, { variant });
    expect(artifactText(await (await node()).task('hello'))).toBe('hello');
  });

  test('a task that is asked for twice runs once', async () => {
    let runs = 0;
    const door = deferred<void>();
    const { node, clock } = hosts(
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

  test('when the time is over another goes on, and no step is repeated', async () => {
    const steps: string[] = [];
    const doors = [deferred<void>(), deferred<void>(), deferred<void>()];
    const { node, clock } = hosts(
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

  test('what never gets anywhere in the time that there is comes to an end', async () => {
    let runs = 0;
    const { node, clock } = hosts(
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

  test('the time that a task may take is that of all who work on it, between two pauses', async () => {
    const { node, clock } = hosts(
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

  test('a task is not handed over while somebody else here has time for it', async () => {
    let runs = 0;
    const door = deferred<void>();
    const { node, clock } = hosts(
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

  test('that somebody leaves is no attempt, and hands over at once', async () => {
    let runs = 0;
    const { node } = hosts(
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

  test('a handler that must not run twice is not handed over', async () => {
    const door = deferred<void>();
    const { node, clock } = hosts(
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

  test('a short sleep is waited for, a long one is not', async () => {
    const { node, clock } = hosts(
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

  test('an answer is taken up by who waits for what comes of it', async () => {
    const { node } = hosts(async ({ ask }) => `Off to ${await ask('Where to?')}`, { variant });
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

  test('a hand-over that the store does not take is tried again', async () => {
    let runs = 0;
    const { node, clock } = hosts(({ signal }) => (++runs === 1 ? ended(signal) : 'done'), { variant });
    const [first, second] = [await node(), await node()];
    const { id } = await first.task('go', STORED);
    const work = first.engine.onDemand.work(id, { forMs: SECOND });
    await until(() => runs === 1);
    first.line.set('failing', 'append');
    await pass(clock, SECOND);
    expect(await work).toBe('unfinished');
    first.line.set('open');
    await pass(clock, SECOND, 250);
    expect(await second.engine.onDemand.work(id, { forMs: 0 })).toBe('resting');
    expect([await stateOf(second, id), runs]).toEqual(['completed', 2]);
  });

  test('a task that could not be loaded is not kept', async () => {
    const { node, clock } = hosts(async () => 'done', { variant });
    const [first, second] = [await node(), await node()];
    const { id } = await first.task('go', STORED);
    first.line.set('failing', 'journal', 'read');
    expect(await first.engine.onDemand.work(id, { forMs: 100 })).toBe('resting');
    await pass(clock, SECOND, 250);
    expect(await second.engine.onDemand.sweep({ forMs: SECOND, limit: 10 })).toMatchObject({ taken: 1 });
    expect(await stateOf(second, id)).toBe('completed');
  });

  test('a process that was frozen in mid-task writes nothing when it wakes, and another has gone on', async () => {
    const told: string[] = [];
    const door = deferred<void>();
    const { node, clock } = hosts(
      async function* run({ step, signal }) {
        yield 'one ';
        await step('wait', () => Promise.race([door.promise, ended(signal)]));
        yield 'two';
        told.push('end');
      },
      { variant },
    );
    const [frozen, other] = [await node(), await node()];
    const { id } = await frozen.task('go', STORED);
    const work = frozen.engine.onDemand.work(id, { forMs: 600 * SECOND });
    await until(async () => artifactText(await other.engine.get(ANN, id)) === 'one ');
    frozen.line.set('held');
    clock.advance(30 * SECOND);
    door.resolve();
    const swept = await other.engine.onDemand.sweep({ forMs: 10 * SECOND, limit: 10 });
    expect(swept).toEqual({ taken: 1, unfinished: [], hasMore: false });
    const before = await other.store.events(id, 0, 100);

    frozen.line.set('open');
    await pass(clock, SECOND, 250);
    expect(await work).toBe('resting');
    await turns(20);
    expect(await other.store.events(id, 0, 100)).toEqual(before);
    expect(artifactText(await other.engine.get(ANN, id))).toBe('one two');
  });

  test('that a process was frozen is not held against its task', async () => {
    let runs = 0;
    const door = deferred<void>();
    const { node, clock } = hosts(
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

  test('a process that wakes is known to live before it begins anything', async () => {
    const door = deferred<void>();
    const { node, clock } = hosts(
      async () => {
        await door.promise;
        return 'done';
      },
      { variant },
    );
    const [woken, other] = [await node(), await node()];
    woken.line.set('held', 'heartbeat');
    clock.advance(60 * SECOND);
    await turns(5);
    const task = woken.task('go');
    await turns(20);
    expect(woken.line.calls.filter((name) => name === 'create')).toEqual([]);
    woken.line.set('open');
    await until(() => woken.line.calls.includes('create'));
    await turns(5);
    expect(await other.engine.onDemand.sweep({ forMs: 0, limit: 10 })).toMatchObject({ taken: 0 });
    door.resolve();
    expect(artifactText(await task)).toBe('done');
  });
});

test('an engine that works by itself takes no orders', async () => {
  const only = await cluster(async () => 'done').node();
  expect(() => only.engine.onDemand).toThrow('The engine was not started with onDemand');
});

function ended(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
}
