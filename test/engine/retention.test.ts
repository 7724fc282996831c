import { describe, expect, test } from 'vitest';
import type { TaskContext } from '../../src/engine/handler.ts';
import { DEFAULT_RETENTION, type Retention } from '../../src/engine/schedule/retention.ts';
import { pass, turns } from './cluster.ts';
import { ANN, artifactText, bodies, collect, harness, until, userMessage, VARIANTS } from './harness.ts';

const HOUR = 60 * 60 * 1000;

async function* run({ text, ask, sleep, signal }: TaskContext) {
  yield 'one ';
  yield 'two ';
  if (text === 'ask') await ask('Which?');
  if (text === 'turn') yield { status: 'input-required' as const, text: 'Which?' };
  if (text === 'sleep') await sleep(1000 * HOUR);
  if (text === 'work') await new Promise((resolve) => signal.addEventListener('abort', resolve));
  yield 'three';
}

describe.each(VARIANTS)('$name', (variant) => {
  test('a task is removed maxAgeMs after its end, and is unknown to all calls then', async () => {
    const { task, engine, clock } = await harness(run, { variant, retention: { maxAgeMs: HOUR } });
    const done = await task('go', { idempotencyKey: 'key' });
    await pass(clock, HOUR - 1000, HOUR / 10);
    await engine.prune();
    expect((await engine.get(ANN, done.id)).id).toBe(done.id);
    await pass(clock, 2000);
    await engine.prune();
    const unknown = { code: 'TASK_NOT_FOUND', message: `Task ${done.id} does not exist` };
    await expect(engine.get(ANN, done.id)).rejects.toMatchObject(unknown);
    await expect(engine.cancel(ANN, done.id)).rejects.toMatchObject(unknown);
    await expect(collect(engine.subscribe(ANN, done.id))).rejects.toMatchObject(unknown);
    await expect(collect(engine.subscribe(ANN, done.id, { after: 1 }))).rejects.toMatchObject(unknown);
    const more = { message: userMessage('more', { taskId: done.id }) };
    await expect(task('more', more)).rejects.toMatchObject(unknown);
    expect((await engine.list(ANN, { limit: 10 })).total).toBe(0);
  });

  test('ended tasks are removed every everyMs without a call', async () => {
    const { task, engine, clock } = await harness(run, { variant, retention: { maxAgeMs: 1000, everyMs: 5000 } });
    const done = await task('go');
    await pass(clock, 4000);
    expect((await engine.get(ANN, done.id)).id).toBe(done.id);
    await pass(clock, 2000);
    await until(async () => (await engine.list(ANN, { limit: 10 })).total === 0);
  });

  test('a clock that jumps forward removes no task, and the jump is logged', async () => {
    const retention = { maxAgeMs: 3 * HOUR, everyMs: HOUR / 6 };
    const { task, engine, clock, log } = await harness(run, { variant, retention });
    const done = await task('go');
    clock.jump(46 * 24 * HOUR);
    await turns(20);
    await pass(clock, 2.5 * HOUR, HOUR / 6);
    expect((await engine.get(ANN, done.id)).id).toBe(done.id);
    expect(log.filter(({ message }) => message.startsWith('The clock jumped forward'))).toHaveLength(1);
    await pass(clock, HOUR, HOUR / 6);
    await until(async () => (await engine.list(ANN, { limit: 10 })).total === 0);
  });

  test('a retention option that is undefined has its default', async () => {
    const unset = { maxAgeMs: 1000, everyMs: undefined } as unknown as Partial<Retention>;
    const { task, engine, clock } = await harness(run, { variant, retention: unset });
    await task('go');
    await pass(clock, DEFAULT_RETENTION.everyMs + 1000);
    await until(async () => (await engine.list(ANN, { limit: 10 })).total === 0);
  });

  test('maxEnded keeps the tasks that ended last', async () => {
    const { task, engine, clock } = await harness(run, { variant, retention: { maxEnded: 2 } });
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) {
      ids.push((await task('go')).id);
      clock.advance(10);
    }
    await engine.prune();
    const { tasks } = await engine.list(ANN, { limit: 10 });
    expect(tasks.map(({ id }) => id)).toEqual(ids.slice(3).toReversed());
  });

  test('running, sleeping and paused tasks are never removed', async () => {
    const { task, engine, clock } = await harness(run, {
      variant,
      retention: { maxAgeMs: 1, maxEnded: 0, replayWindowMs: 1 },
      limits: { timeoutMs: 10_000 * HOUR },
      pollMs: HOUR,
      leaseMs: 300 * HOUR,
    });
    const ids: string[] = [];
    for (const text of ['ask', 'turn', 'sleep', 'work']) ids.push((await task(text, { returnImmediately: true })).id);
    for (const id of ids) await until(async () => artifactText(await engine.get(ANN, id)) === 'one two ');
    await turns(10);
    const before = await Promise.all(ids.map((id) => engine.get(ANN, id)));
    await pass(clock, 100 * HOUR, 10 * HOUR);
    await engine.prune();
    expect(await Promise.all(ids.map((id) => engine.get(ANN, id)))).toEqual(before);
  });

  test('events can be read for replayWindowMs after the end, and the task as a snapshot after that', async () => {
    const { task, engine, clock } = await harness(run, { variant, retention: { replayWindowMs: HOUR } });
    const done = await task('go');
    await pass(clock, HOUR - 1000, HOUR / 10);
    await engine.prune();
    const events = await collect(engine.subscribe(ANN, done.id, { after: 2 }));
    expect(events.map((event) => 'number' in event && event.number)).toEqual([3, 4, 5, 6]);
    await pass(clock, 2000);
    await engine.prune();
    const after = await collect(engine.subscribe(ANN, done.id, { after: 2 }));
    expect(after).toEqual([{ kind: 'snapshot', number: 6, task: done }]);
    expect(bodies(await collect(engine.subscribe(ANN, done.id)))).toEqual([{ task: done }]);
    expect(await engine.get(ANN, done.id)).toEqual(done);
    expect(artifactText(done)).toBe('one two three');
  });

  test('prune removes more tasks than one batch has', async () => {
    const { task, engine, clock } = await harness(async () => {}, { variant, retention: { maxAgeMs: 1000 } });
    await Promise.all(Array.from({ length: 90 }, (_, i) => task(`${i}`)));
    clock.advance(5000);
    await engine.prune();
    expect((await engine.list(ANN, { limit: 10 })).total).toBe(0);
  });
});
