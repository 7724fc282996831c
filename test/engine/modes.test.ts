import { describe, expect, test } from 'vitest';
import type { Handler } from '../../src/engine/handler.ts';
import type { Runnable } from '../../src/engine/runnable.ts';
import { A2AError } from '../../src/errors.ts';
import { ANN, artifactText, bodies, harness, runnable, userMessage, VARIANTS } from './harness.ts';

const idle: Handler = async () => undefined;

/** An agent that takes texts only. */
function admitting(run: Handler, seen: (readonly string[])[] = []): Runnable {
  return {
    ...runnable(run),
    admit({ parts }, accepted) {
      seen.push(accepted);
      if (!parts.every((part) => 'text' in part)) throw new A2AError('CONTENT_TYPE_NOT_SUPPORTED', 'Texts only');
    },
  };
}

/** An agent that gives each caller what he takes. */
function giving(run: Handler): Runnable {
  return { ...runnable(run), mayGive: (mediaType, accepted) => accepted.length === 0 || accepted.includes(mediaType) };
}

describe.each(VARIANTS)('$name', (variant) => {
  test('a message that the agent does not take is refused before anything is stored', async () => {
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
    // The key is free, and so is the place.
    const good = userMessage('go', { messageId: bad.message.messageId });
    expect(artifactText(await task('', { message: good }))).toBe('run 1');
  });

  test('an answer that the agent does not take is refused, and the question stays open', async () => {
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

  test('a caller gets the parts that he takes', async () => {
    const { task, stream } = await harness(idle, {
      variant,
      agents: [
        giving(async function* run() {
          yield { artifact: 'a', parts: [{ text: 'x' }, { data: 1 }, { raw: 'AQID', mediaType: 'image/png' }] };
          yield { artifact: 'picture', bytes: 'AQID', mediaType: 'image/png' };
          yield { artifact: 'unknown', bytes: 'AQID' };
        }),
      ],
    });
    const all = await task('go');
    expect(all.artifacts?.map(({ parts }) => parts.length)).toEqual([3, 1, 1]);
    const options = { acceptedOutputModes: ['text/plain'] };
    const some = await task('go', options);
    expect(some.artifacts?.map(({ artifactId, parts }) => [artifactId, parts])).toEqual([
      ['a', [{ text: 'x' }]],
      ['unknown', [{ raw: 'AQID' }]],
    ]);
    expect(JSON.stringify(bodies(await stream('go', options)))).not.toContain('image/png');
  });

  test.each(['restart', 'crash'] as const)('what a caller takes is remembered over a %s', async (how) => {
    const first = await harness(idle, {
      variant,
      agents: [
        giving(async function* run({ ask, acceptedOutputModes }) {
          yield { artifact: 'a', parts: [{ text: 'x' }, { data: 1 }] };
          await ask('Go on?');
          yield { artifact: 'b', parts: [{ text: acceptedOutputModes.join() }, { data: 2 }] };
        }),
      ],
    });
    const asked = await first.task('go', { acceptedOutputModes: ['text/plain'] });
    const { reply } = await first[how]();
    const done = await reply(asked, 'yes');
    expect(done.artifacts?.map(({ parts }) => parts)).toEqual([[{ text: 'x' }], [{ text: 'text/plain' }]]);
  });
});
