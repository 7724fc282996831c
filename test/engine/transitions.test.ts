import { describe, expect, test } from 'vitest';
import type { Task } from '../../src/model/task.ts';
import { ANN, BOB, harness, STORES } from './harness.ts';

const QUESTIONS = 51;

describe.each(STORES)('$name', (variant) => {
  test('getWithTransitions returns the state changes, oldest first, with the time of the first event of each', async () => {
    const { engine, task, reply, clock } = await harness(
      async function* run(ctx) {
        yield { status: 'working', text: 'One' };
        await ctx.sleep(5000);
        yield { status: 'working', text: 'Two' };
        yield 'Off to ';
        yield await ctx.ask('Which city?');
      },
      { variant },
    );
    const started = await task('go', { returnImmediately: true });
    await expect.poll(async () => (await engine.get(ANN, started.id)).status.state).toBe('TASK_STATE_WORKING');
    const begun = new Date(clock.now()).toISOString();
    await expect
      .poll(async () => {
        clock.advance(1000);
        return (await engine.get(ANN, started.id)).status.state;
      })
      .toBe('TASK_STATE_INPUT_REQUIRED');
    await reply(started, 'Rome');

    const { task: done, transitions, truncated } = await engine.getWithTransitions(ANN, started.id);

    expect(truncated).toBe(false);
    expect(transitions.map(({ state }) => state)).toEqual([
      'TASK_STATE_SUBMITTED',
      'TASK_STATE_WORKING',
      'TASK_STATE_INPUT_REQUIRED',
      'TASK_STATE_WORKING',
      'TASK_STATE_COMPLETED',
    ]);
    expect(transitions[1]?.timestamp).toBe(begun);
    expect(transitions.map(({ timestamp = '' }) => timestamp)).toEqual(
      transitions.map(({ timestamp = '' }) => timestamp).toSorted(),
    );
    expect(transitions.at(-1)?.timestamp).toBe(done.status.timestamp);
    await expect(engine.getWithTransitions(BOB, started.id)).rejects.toMatchObject({ code: 'TASK_NOT_FOUND' });
  });

  test('getWithTransitions returns at most the last 100 state changes, marked as truncated', async () => {
    const { engine, task, reply } = await harness(
      async (ctx) => {
        for (let i = 0; i < QUESTIONS; i++) await ctx.ask(`Question ${i}`);
        return 'done';
      },
      { variant },
    );
    let asked: Task = await task('go');
    for (let i = 0; i < QUESTIONS - 3; i++) asked = await reply(asked, 'yes');
    const before = await engine.getWithTransitions(ANN, asked.id);
    for (let i = 0; i < 3; i++) asked = await reply(asked, 'yes');
    const after = await engine.getWithTransitions(ANN, asked.id);

    expect([before.truncated, before.transitions.length < 100]).toEqual([false, true]);
    expect(before.transitions[0]?.state).toBe('TASK_STATE_SUBMITTED');
    expect([after.truncated, after.transitions.length]).toEqual([true, 100]);
    expect(after.transitions.at(-1)?.state).toBe('TASK_STATE_COMPLETED');
    expect(after.transitions[0]?.state).not.toBe('TASK_STATE_SUBMITTED');
  });

  test('getWithTransitions returns only the last state, marked as truncated, after the events of the task are removed', async () => {
    const { engine, task, clock } = await harness(async () => 'done', { variant, retention: { replayWindowMs: 1000 } });
    const done = await task('go');
    expect((await engine.getWithTransitions(ANN, done.id)).truncated).toBe(false);

    clock.advance(1001);
    await engine.prune();

    const { transitions, truncated } = await engine.getWithTransitions(ANN, done.id);
    expect(transitions).toEqual([{ state: 'TASK_STATE_COMPLETED', timestamp: done.status.timestamp }]);
    expect(truncated).toBe(true);
  });

  test('getWithTransitions reads at most about 8 MiB of events', async () => {
    const chunk = 'x'.repeat(128 * 1024);
    const { engine, task, store } = await harness(
      async function* run() {
        yield { status: 'working' };
        for (let i = 0; i < 160; i++) yield { artifact: 'log', text: chunk, append: i > 0 };
      },
      { variant },
    );
    const done = await task('go');
    let bytes = 0;
    const { events } = store;
    store.events = async (...args) => {
      const page = await events.apply(store, args);
      for (const { body } of page) bytes += body.length;
      return page;
    };

    const { transitions, truncated } = await engine.getWithTransitions(ANN, done.id);

    expect(transitions.map(({ state }) => state)).toEqual(['TASK_STATE_COMPLETED']);
    expect(truncated).toBe(true);
    expect(bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThan(10 * 2 ** 20);
  });
});
