import { describe, expect, test } from 'vitest';
import { cluster, pass, turns } from './cluster.ts';
import { ANN, artifactText, collect, statusText, until, VARIANTS } from './harness.ts';

const IMMEDIATELY = { returnImmediately: true };
/** Longer than a lease lasts without a heartbeat. */
const DEAD_MS = 20_000;

describe.each(VARIANTS)('$name', (variant) => {
  test('a task whose process died resumes and repeats no recorded step and no output', async () => {
    let attempts = 0;
    let steps = 0;
    const { node, clock } = cluster(
      async function* run({ step, status }) {
        const attempt = ++attempts;
        yield 'a';
        const first = await step('one', () => ++steps);
        await status(`step ${first}`);
        yield 'b';
        if (attempt === 1) await new Promise(() => {});
        yield `c${await step('two', () => ++steps)}`;
      },
      { variant },
    );
    const first = await node();
    const early = await first.task('go', IMMEDIATELY);
    await until(async () => artifactText(await first.engine.get(ANN, early.id)) === 'ab');
    first.kill();
    await pass(clock, DEAD_MS, 5000);
    const second = await node();
    await until(async () => (await second.engine.get(ANN, early.id)).status.state === 'TASK_STATE_COMPLETED');
    const done = await second.engine.get(ANN, early.id);
    expect(artifactText(done)).toBe('abc2');
    expect([attempts, steps]).toEqual([2, 2]);
    const events = await collect(second.engine.subscribe(ANN, early.id, { after: 0 }));
    expect(events.map(({ kind }) => kind)).toEqual([
      'task',
      'status',
      'artifact',
      'status',
      'artifact',
      'artifact',
      'status',
    ]);
    expect(events.map((event) => 'number' in event && event.number)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  test('a running node claims the task of a dead node when its lease has expired', async () => {
    let attempts = 0;
    const { node, clock } = cluster(
      async function* run() {
        if (++attempts === 1) await new Promise(() => {});
        yield 'done';
      },
      { variant },
    );
    const [first, second] = [await node(), await node()];
    const early = await first.task('go', IMMEDIATELY);
    await until(() => attempts === 1);
    first.kill();
    await pass(clock, 10_000);
    expect(attempts).toBe(1);
    await pass(clock, 10_000);
    await until(async () => artifactText(await second.engine.get(ANN, early.id)) === 'done');
    expect(attempts).toBe(2);
  });

  test('a task whose process dies at each attempt fails after maxAttempts with a reason', async () => {
    let attempts = 0;
    const { node, clock, store } = cluster(
      async function* run() {
        attempts++;
        yield 'begun';
        await new Promise(() => {});
      },
      { variant, limits: { maxAttempts: 3, timeoutMs: 10 * 60_000 } },
    );
    const first = await node();
    const early = await first.task('go', IMMEDIATELY);
    let last = first;
    for (let i = 1; i <= 3; i++) {
      await until(() => attempts === i);
      await until(async () => artifactText(await last.engine.get(ANN, early.id)) === 'begun');
      expect((await store.read(ANN, early.id))?.record.attempts).toBe(i);
      last.kill();
      await pass(clock, DEAD_MS, 5000);
      last = await node();
    }
    await until(async () => (await last.engine.get(ANN, early.id)).status.state === 'TASK_STATE_FAILED');
    const failed = await last.engine.get(ANN, early.id);
    expect(statusText(failed)).toBe('The task was interrupted 3 times and will not be retried');
    expect(artifactText(failed)).toBe('begun');
    expect(attempts).toBe(3);
  });

  test('a run that reaches a pause resets the attempts of its task', async () => {
    let runs = 0;
    const { node, clock, store } = cluster(
      async ({ ask }) => {
        const run = ++runs;
        if (run === 1) await new Promise(() => {});
        const answer = await ask('Go on?');
        if (run === 3) await new Promise(() => {});
        return answer;
      },
      { variant, limits: { maxAttempts: 2 } },
    );
    const attempts = async (id: string): Promise<number | undefined> => (await store.read(ANN, id))?.record.attempts;
    const first = await node();
    const early = await first.task('go', IMMEDIATELY);
    await until(() => runs === 1);
    first.kill();
    await pass(clock, DEAD_MS, 5000);
    const second = await node();
    const isAsked = async (): Promise<boolean> =>
      (await second.engine.get(ANN, early.id)).status.state === 'TASK_STATE_INPUT_REQUIRED';
    await until(isAsked);
    // It has used both attempts, and its pause has reset them.
    expect([runs, await attempts(early.id)]).toEqual([2, 0]);
    second.kill();
    await pass(clock, DEAD_MS, 5000);
    const third = await node();
    // No node has run it: it waits for an answer, not for a process.
    expect([runs, await attempts(early.id)]).toEqual([2, 0]);
    void third.reply(early, 'yes').catch(() => {});
    await until(() => runs === 3);
    third.kill();
    await pass(clock, DEAD_MS, 5000);
    const fourth = await node();
    await until(async () => artifactText(await fourth.engine.get(ANN, early.id)) === 'yes');
    expect(runs).toBe(4);
  });

  test.each([
    ['visible', IMMEDIATELY],
    ['not visible yet', {}],
  ])('with recovery "fail" an interrupted task fails and does not run again (%s)', async (_, options) => {
    let attempts = 0;
    const { node, clock, store } = cluster(
      async () => {
        attempts++;
        await new Promise(() => {});
      },
      { variant, limits: { recovery: 'fail' } },
    );
    const first = await node({ newId: counter('first') });
    void first.task('go', options).catch(() => {});
    await until(() => attempts === 1);
    first.kill();
    await pass(clock, DEAD_MS, 5000);
    const second = await node();
    await until(
      async () => (await second.engine.list(ANN, { limit: 1 })).tasks[0]?.status.state === 'TASK_STATE_FAILED',
    );
    const [failed] = (await second.engine.list(ANN, { limit: 1 })).tasks;
    expect(failed && statusText(failed)).toBe('The task was interrupted, and this agent does not retry tasks');
    expect(attempts).toBe(1);
    expect((await store.journal(failed?.id ?? '')).length).toBe(0);
  });

  test('a paused task stays paused after a crash and resumes by replay', async () => {
    let steps = 0;
    const { node, clock } = cluster(
      async function* run({ step, ask }) {
        yield `${await step('one', () => ++steps)} `;
        const city = await ask('Which city?');
        yield `${city} ${await step('two', () => ++steps)}`;
      },
      { variant },
    );
    const first = await node();
    const asked = await first.task('go');
    first.kill();
    await pass(clock, DEAD_MS, 5000);
    const second = await node();
    await pass(clock, DEAD_MS, 5000);
    expect(await second.engine.get(ANN, asked.id)).toEqual(asked);
    const done = await second.reply(asked, 'Rome');
    expect(artifactText(done)).toBe('1 Rome 2');
    expect(steps).toBe(2);
  });

  test('a sleeping task of a dead node wakes on another node', async () => {
    const { node, clock } = cluster(
      async function* run({ sleep }) {
        yield 'good ';
        await sleep(60_000);
        yield 'morning';
      },
      { variant },
    );
    const first = await node();
    const early = await first.task('go', IMMEDIATELY);
    await until(async () => artifactText(await first.engine.get(ANN, early.id)) === 'good ');
    await turns(10);
    first.kill();
    await pass(clock, DEAD_MS, 5000);
    const second = await node();
    await pass(clock, 30_000, 5000);
    expect((await second.engine.get(ANN, early.id)).status.state).toBe('TASK_STATE_WORKING');
    await pass(clock, 15_000, 1000);
    await until(async () => artifactText(await second.engine.get(ANN, early.id)) === 'good morning');
  });

  test('queued tasks of a dead node run on another node', async () => {
    const { node, clock } = cluster(async ({ text }) => (text === 'hang' ? new Promise(() => {}) : text), {
      variant,
      limits: { concurrency: 1 },
    });
    const first = await node();
    await first.task('hang', IMMEDIATELY);
    const queued = [await first.task('one', IMMEDIATELY), await first.task('two', IMMEDIATELY)];
    first.kill();
    const second = await node();
    for (const { id } of queued)
      await until(async () => {
        clock.advance(100);
        return (await second.engine.get(ANN, id)).status.state === 'TASK_STATE_COMPLETED';
      });
  });
});

function counter(prefix: string): () => string {
  let count = 0;
  return () => `${prefix}-${++count}`;
}
