import { describe, expect, test } from 'vitest';
import { deferred } from '../../src/support/deferred.ts';
import { ANN, harness, statusText, until, VARIANTS } from './harness.ts';

const NOW = { returnImmediately: true } as const;

describe.each(VARIANTS)('$name', (variant) => {
  test('a task that waits longer than maxQueuedMs for a slot fails without having run', async () => {
    const gate = deferred<void>();
    const ran: string[] = [];
    const { task, engine, clock } = await harness(
      async ({ text }) => {
        ran.push(text);
        await gate.promise;
      },
      { variant, limits: { concurrency: 1, maxQueuedMs: 180_000, timeoutMs: 3_600_000 } },
    );
    const first = await task('first', NOW);
    await until(() => ran.length === 1);
    const late = await task('late', NOW);
    clock.advance(100_000);
    const next = await task('next', NOW);
    clock.advance(79_999);
    expect((await engine.get(ANN, late.id)).status.state).toBe('TASK_STATE_SUBMITTED');
    clock.advance(1);
    await until(async () => (await engine.get(ANN, late.id)).status.state === 'TASK_STATE_FAILED');
    const failed = await engine.get(ANN, late.id);
    expect(statusText(failed)).toBe(
      'The task waited 180000 ms for a free slot and was not started. Send the message again later.',
    );

    gate.resolve();
    for (const { id } of [first, next])
      await until(async () => (await engine.get(ANN, id)).status.state === 'TASK_STATE_COMPLETED');
    expect(ran).toEqual(['first', 'next']);
  });

  test('a task that waited longer than maxQueuedMs while no process ran fails when one starts', async () => {
    const gate = deferred<void>();
    let runs = 0;
    const first = await harness(
      async () => {
        runs++;
        await gate.promise;
      },
      { variant, limits: { concurrency: 1, maxQueuedMs: 60_000, timeoutMs: 3_600_000 } },
    );
    await first.task('running', NOW);
    const waiting = await first.task('waiting', NOW);
    await first.engine.close();
    first.clock.advance(60_001);
    const second = await first.restart();
    gate.resolve();
    await until(async () => (await second.engine.get(ANN, waiting.id)).status.state === 'TASK_STATE_FAILED');
    expect(runs).toBeGreaterThan(0);
  });

  test('a task that has run is not limited by maxQueuedMs after a crash', async () => {
    const first = await harness(async ({ step, ask }) => `${await step('one', () => 'done')} ${await ask('Go on?')}`, {
      variant,
      limits: { maxQueuedMs: 60_000 },
    });
    const asked = await first.task('go');
    first.clock.advance(120_000);
    const second = await first.crash();
    expect((await second.reply(asked, 'yes')).status.state).toBe('TASK_STATE_COMPLETED');
  });
});
