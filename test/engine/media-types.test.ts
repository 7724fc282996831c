import { describe, expect, test } from 'vitest';
import type { Handler } from '../../src/engine/handler.ts';
import type { Output } from '../../src/engine/output/output.ts';
import type { Runnable } from '../../src/engine/runnable.ts';
import { A2AError } from '../../src/errors.ts';
import { ANN, artifactText, bodies, harness, runnable, userMessage, VARIANTS } from './harness.ts';

const idle: Handler = async () => undefined;

/** An agent that accepts only text. */
function admitting(run: Handler, seen: (readonly string[])[] = []): Runnable {
  return {
    ...runnable(run),
    admit({ parts }, accepted) {
      seen.push(accepted);
      if (!parts.every((part) => 'text' in part)) throw new A2AError('CONTENT_TYPE_NOT_SUPPORTED', 'Texts only');
    },
  };
}

/** An agent that declares text as its only output type. */
function declaringText(run: Handler): Runnable {
  return { ...runnable(run), declaresOutput: (mediaType) => mediaType === 'text/plain' };
}

async function* outputFiles(): AsyncGenerator<Output, void> {
  yield { artifact: 'a', parts: [{ text: 'x' }, { data: 1 }, { raw: 'AQID', mediaType: 'image/png' }] };
  yield { artifact: 'picture', bytes: 'AQID', mediaType: 'image/png' };
  yield { artifact: 'unknown', bytes: 'AQID' };
}

describe.each(VARIANTS)('$name', (variant) => {
  test('a message with an unsupported part is rejected before anything is stored', async () => {
    let runs = 0;
    const seen: (readonly string[])[] = [];
    const { task, stream, engine } = await harness(idle, {
      variant,
      agents: [admitting(async () => `run ${++runs}`, seen)],
    });
    const bad = { message: userMessage('', { parts: [{ data: 1 }] }), acceptedOutputModes: ['text/plain'] };
    await expect(task('', bad)).rejects.toMatchObject({ code: 'CONTENT_TYPE_NOT_SUPPORTED' });
    await expect(stream('', bad)).rejects.toMatchObject({ code: 'CONTENT_TYPE_NOT_SUPPORTED' });
    expect(seen).toEqual([['text/plain'], ['text/plain']]);
    expect((await engine.list(ANN, { limit: 10 })).total).toBe(0);
    // The message id and the slot are free.
    const good = userMessage('go', { messageId: bad.message.messageId });
    expect(artifactText(await task('', { message: good }))).toBe('run 1');
  });

  test('an answer with an unsupported part is rejected, and the question stays open', async () => {
    const { task, reply, engine } = await harness(idle, {
      variant,
      agents: [admitting(async ({ ask }) => ask('Who?'))],
    });
    const asked = await task('go');
    const message = userMessage('', { taskId: asked.id, parts: [{ raw: 'AQID' }] });
    await expect(task('', { message })).rejects.toMatchObject({ code: 'CONTENT_TYPE_NOT_SUPPORTED' });
    expect(await engine.get(ANN, asked.id)).toEqual(asked);
    expect(artifactText(await reply(asked, 'Ann'))).toBe('Ann');
  });

  test('a caller gets every part, also of media types that it does not list in acceptedOutputModes', async () => {
    const { task, stream } = await harness(idle, { variant, agents: [declaringText(outputFiles)] });
    const options = { acceptedOutputModes: ['application/json'] };
    const done = await task('go', options);
    expect(done.artifacts?.map(({ parts }) => parts.length)).toEqual([3, 1, 1]);
    expect(JSON.stringify(bodies(await stream('go', options)))).toContain('image/png');
  });

  test('output of an undeclared media type is logged once for each type and agent', async () => {
    const { task, log } = await harness(idle, { variant, agents: [declaringText(outputFiles)] });
    await task('go');
    await task('go again');
    const warnings = log.filter(({ message }) => message.startsWith('Output type is not declared'));
    expect(warnings.map(({ fields }) => fields?.['mediaType'])).toEqual(['application/json', 'image/png']);
  });

  test.each(['restart', 'crash'] as const)('acceptedOutputModes is given to the handler after a %s', async (how) => {
    const first = await harness(
      async ({ ask, acceptedOutputModes }) => {
        await ask('Continue?');
        return acceptedOutputModes.join();
      },
      { variant },
    );
    const asked = await first.task('go', { acceptedOutputModes: ['text/plain'] });
    const { reply } = await first[how]();
    expect(artifactText(await reply(asked, 'yes'))).toBe('text/plain');
  });
});
