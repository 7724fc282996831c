import { describe, expect, test } from 'vitest';

import { artifactText, harness, userMessage, VARIANTS } from './harness.ts';

describe.each(VARIANTS)('$name', (variant) => {
  test('an answer that is repeated after the end of its task returns the task', async () => {
    const { engine, task, reply } = await harness(async ({ ask }) => ask('Which city?'), { variant });
    const asked = await task('travel');
    const message = userMessage('Rome', { taskId: asked.id });
    const done = await reply(asked, 'Rome', { message });

    expect(await reply(asked, 'Rome', { message })).toEqual(done);
    await expect(reply(asked, 'Rome')).rejects.toMatchObject({ code: 'UNSUPPORTED_OPERATION' });
    expect(await engine.get({ tenant: '', owner: 'ann' }, asked.id)).toEqual(done);
  });

  test('a repeated answer does not answer the next question', async () => {
    const { task, reply } = await harness(
      async function* run({ ask }) {
        yield `${await ask('Which city?')} `;
        yield String(await ask({ confirm: 'Sure?' }));
      },
      { variant },
    );
    const asked = await task('travel');
    const message = userMessage('Rome', { taskId: asked.id });
    const next = await reply(asked, 'Rome', { message });

    expect(await reply(asked, 'Rome', { message })).toEqual(next);
    expect(next.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(artifactText(await reply(asked, 'yes'))).toBe('Rome true');
  });

  test('a new message that answers a closed question is rejected and does not answer the next question', async () => {
    const { task, reply } = await harness(
      async function* run({ ask }) {
        yield `${await ask('Which city?')} `;
        yield await ask('Which day?');
      },
      { variant },
    );
    const asked = await task('travel');
    const answers = asked.status.message?.messageId ?? '';
    const message = userMessage('Rome', { taskId: asked.id });
    const next = await reply(asked, 'Rome', { message, answers });

    await expect(reply(asked, 'Paris', { answers })).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
    expect(await reply(asked, 'Rome', { message, answers })).toEqual(next);
    expect(artifactText(await reply(asked, 'Monday'))).toBe('Rome Monday');
  });
});
