import { describe, expect, test } from 'vitest';

import { untilAborted } from './cluster.ts';
import { ANN, artifactText, harness, userMessage, VARIANTS } from './harness.ts';

const SUBMISSION = { ...ANN, agent: 'agent', caller: { id: 'ann', isVerified: true } };

describe.each(VARIANTS)('$name', (variant) => {
  test('a task whose creation was under way when the engine closed runs on the next engine', async () => {
    let node = 'first';
    const first = await harness(
      async ({ signal }) => {
        if (node === 'first') await untilAborted(signal);
        return `done by the ${node}`;
      },
      { variant },
    );
    const message = userMessage('go');
    const immediate = first.engine.send({ ...SUBMISSION, message, returnImmediately: true });
    const waiting = first.engine.send({ ...SUBMISSION, message: userMessage('wait') });
    const [made, refused] = await Promise.allSettled([immediate, waiting, first.engine.close()]);

    expect(made).toMatchObject({ status: 'fulfilled', value: { task: { status: { state: 'TASK_STATE_SUBMITTED' } } } });
    expect(refused).toMatchObject({ status: 'rejected', reason: { code: 'UNAVAILABLE' } });

    node = 'second';
    const second = await first.restart();
    const done = await second.task('go', { message });

    expect(artifactText(done)).toBe('done by the second');
    expect(made).toMatchObject({ value: { task: { id: done.id } } });
  });

  test('sends and subscriptions end when the engine closes', async () => {
    const { engine, task } = await harness(async ({ ask }) => ask('Well?'), { variant });
    const asked = await task('go');
    const answer = engine.send({ ...SUBMISSION, message: userMessage('so', { taskId: asked.id }) });
    const items = engine.subscribe(ANN, asked.id, { after: 3 });
    const [refused] = await Promise.allSettled([answer, engine.close()]);

    expect(refused).toMatchObject({ status: 'rejected', reason: { code: 'UNAVAILABLE' } });
    const batches: unknown[] = [];
    for await (const batch of items) batches.push(batch);
    expect(batches.length).toBeLessThanOrEqual(1);
  });
});
