import { describe, expect, test } from 'vitest';

import { ANN, artifactText, bodies, collect, harness, until, VARIANTS } from './harness.ts';

describe.each(VARIANTS)('$name', (variant) => {
  test('a sleep whose time passes before it is stored ends', async () => {
    const { task, clock } = await harness(
      async ({ sleep }) => {
        const slept = sleep(1);
        clock.advance(1);
        await slept;
        return 'awake';
      },
      { variant },
    );

    expect(artifactText(await task('go'))).toBe('awake');
  });

  test('a question that expires before it is stored is published and expires', async () => {
    const { task, engine, clock } = await harness(
      async ({ ask }) => ask('Now?', { timeoutMs: 1 }).catch(() => 'nobody'),
      { variant },
    );
    const { id } = await task('go', { returnImmediately: true });
    const seen = collect(engine.subscribe(ANN, id, { after: 1 }));
    await until(async () => {
      clock.advance(1);
      return (await engine.get(ANN, id)).status.state === 'TASK_STATE_COMPLETED';
    });

    expect(bodies(await seen)).toMatchObject([
      { statusUpdate: { status: { state: 'TASK_STATE_WORKING' } } },
      { statusUpdate: { status: { state: 'TASK_STATE_INPUT_REQUIRED' } } },
      { statusUpdate: { status: { state: 'TASK_STATE_WORKING' } } },
      { artifactUpdate: { artifact: { parts: [{ text: 'nobody' }] } } },
      { statusUpdate: { status: { state: 'TASK_STATE_COMPLETED' } } },
    ]);
  });
});
