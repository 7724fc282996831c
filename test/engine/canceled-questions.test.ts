import { describe, expect, test } from 'vitest';
import { QuestionCanceledError } from '../../src/engine/handler.ts';
import { textOfParts } from '../../src/model/part-text.ts';
import { artifactText, harness, statusText, VARIANTS } from './harness.ts';

const SIZES = { choose: 'Which size?', options: ['S', 'M'] } as const;
const CANCELING = { onUnfitAnswer: 'cancel-question' } as const;

describe.each(VARIANTS)('$name', (variant) => {
  test('a message that does not answer the question is rejected by default, and the question stays open', async () => {
    const { task, reply } = await harness(async ({ ask }) => ask(SIZES), { variant });
    const asked = await task('go');
    await expect(reply(asked, 'Something else')).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
    expect(artifactText(await reply(asked, 'M'))).toBe('M');
  });

  test('with cancel-question a message that does not fit the question cancels it and goes to the inbox', async () => {
    const { task, reply } = await harness(
      async ({ ask, inbox }) => {
        try {
          return await ask(SIZES);
        } catch (error) {
          if (!(error instanceof QuestionCanceledError)) throw error;
          const [message] = await inbox.take();
          return `new: ${textOfParts(message?.parts ?? [])}`;
        }
      },
      { variant, limits: CANCELING },
    );
    const done = await reply(await task('go'), 'Show me shoes instead');
    expect(artifactText(done)).toBe('new: Show me shoes instead');
    expect(done.history?.map(({ parts }) => textOfParts(parts)).at(-1)).toBe('Show me shoes instead');
    expect(artifactText(await reply(await task('go'), 'M'))).toBe('M');
  });

  test('a canceled question stays canceled after a crash, and the task can ask another one', async () => {
    const first = await harness(
      async ({ ask, inbox }) => {
        const size = await ask(SIZES).catch((error: unknown) => (error as Error).name);
        await inbox.take();
        return `${size}, ${await ask({ confirm: 'Stop?' })}`;
      },
      { variant, limits: CANCELING },
    );
    const asked = await first.reply(await first.task('go'), 'What?');
    expect(statusText(asked)).toContain('Stop?');
    const second = await first.crash();
    expect(artifactText(await second.reply(asked, 'yes'))).toBe('QuestionCanceledError, true');
  });

  test('a handler that does not catch the canceled question fails its task with the reason', async () => {
    const { task, reply } = await harness(async ({ ask }) => ask(SIZES), { variant, limits: CANCELING });
    const failed = await reply(await task('go'), 'What?');
    expect([failed.status.state, statusText(failed)]).toEqual([
      'TASK_STATE_FAILED',
      'The caller sent another message instead of an answer',
    ]);
  });
});
