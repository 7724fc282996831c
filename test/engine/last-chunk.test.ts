import { describe, expect, test } from 'vitest';
import type { TaskArtifactUpdateEvent } from '../../src/model/event.ts';
import type { StreamItem } from '../../src/engine/stream/subscribe.ts';
import { artifactText, bodies, harness, runnable, userMessage, VARIANTS } from './harness.ts';

function chunksOf(items: readonly StreamItem[]): readonly TaskArtifactUpdateEvent[] {
  return bodies(items).flatMap((event) => ('artifactUpdate' in event ? [event.artifactUpdate] : []));
}

/** Each chunk as its artifact, its text, and the flags that it has. */
function shown(items: readonly StreamItem[]): readonly string[] {
  return chunksOf(items).map(({ artifact, append, lastChunk }) => {
    const text = artifact.parts.map((part) => ('text' in part ? part.text : '')).join('|');
    return `${artifact.artifactId}: ${text}${append === true ? ' append' : ''}${lastChunk === true ? ' last' : ''}`;
  });
}

describe.each(VARIANTS)('$name', (variant) => {
  test('a returned value is the last chunk', async () => {
    const { stream } = await harness(async () => 'Hello', { variant });
    expect(shown(await stream('go'))).toEqual(['response: Hello last']);
  });

  test('the last chunk of each artifact is marked when the generator returns before they are sent', async () => {
    const { stream } = await harness(
      async function* run() {
        yield 'a';
        yield { artifact: 'log', text: '1', append: true };
        yield 'b';
        yield { artifact: 'log', text: '2', append: true };
      },
      { variant },
    );
    expect(shown(await stream('go'))).toEqual([
      'response: a',
      'log: 1',
      'response: b append last',
      'log: 2 append last',
    ]);
  });

  test('artifacts that are emitted in one piece are their last chunks', async () => {
    const { stream } = await harness(
      async function* run() {
        yield { artifact: 'a', text: '1' };
        yield { artifact: 'b', text: '2' };
        return { artifact: 'c', text: '3' };
      },
      { variant },
    );
    expect(shown(await stream('go'))).toEqual(['a: 1 last', 'b: 2 last', 'c: 3 last']);
  });

  test('only the last chunk is marked if earlier ones are sent before the handler returns', async () => {
    const { stream } = await harness(
      async function* run({ sleep }) {
        yield { artifact: 'report', text: 'sent' };
        yield 'a';
        await sleep(0);
        yield 'b';
      },
      { variant },
    );
    expect(shown(await stream('go'))).toEqual(['report: sent', 'response: a', 'response: b append last']);
  });

  test('a chunk before a question of a turn is not marked as the last', async () => {
    const { task, stream, store } = await harness(
      async function* run({ text }) {
        yield text;
        if (text === 'go') yield { status: 'input-required', text: 'More?' };
      },
      { variant },
    );
    const { id } = await task('go');
    const events = await store.events(id, 0, 10);
    expect(events.filter(({ body }) => body.includes('lastChunk'))).toEqual([]);
    const second = await stream('', { message: userMessage('yes', { taskId: id }) });
    expect(shown(second)).toEqual(['response: yes append last']);
  });

  test('a chunk of a handler that throws is not marked as the last', async () => {
    const { stream } = await harness(
      async function* run() {
        yield 'half';
        throw new Error('broken');
      },
      { variant },
    );
    expect(shown(await stream('go'))).toEqual(['response: half']);
  });

  test.each(['restart', 'crash'] as const)('a chunk is not published again after a %s', async (how) => {
    const first = await harness(
      async function* run({ ask }) {
        yield { artifact: 'whole', text: 'w' };
        yield 'a';
        await ask('Continue?');
        yield 'b';
        return 'c';
      },
      { variant },
    );
    const asked = await first.task('go');
    const { reply } = await first[how]();
    const done = await reply(asked, 'yes');
    expect([artifactText(done, 'whole'), artifactText(done)]).toEqual(['w', 'abc']);
    expect(done.artifacts?.map(({ parts }) => parts.length)).toEqual([1, 1]);
  });

  test('with closesWithWhole an artifact that came in chunks ends with all of it', async () => {
    const { stream } = await harness(
      async function* run({ sleep }) {
        yield 'a';
        yield 'b';
        yield { artifact: 'report', text: 'all', lastChunk: true };
        await sleep(0);
        yield { artifact: 'mixed', parts: [{ text: 'x' }, { data: 1 }], append: true };
        yield { artifact: 'mixed', parts: [{ text: 'y' }, { text: 'z' }], append: true };
      },
      { variant, closesWithWhole: true },
    );
    expect(shown(await stream('go'))).toEqual([
      'response: a',
      'response: b append',
      'report: all last',
      'mixed: x|',
      'mixed: y|z append',
      'response: ab last',
      'mixed: x||yz last',
    ]);
  });

  test('with closesWithWhole a returned value is sent once', async () => {
    const { stream } = await harness(async () => 'Hello', { variant, closesWithWhole: true });
    expect(shown(await stream('go'))).toEqual(['response: Hello last']);
  });

  test('with closesWithWhole an artifact in one piece is repeated only if it was sent without lastChunk', async () => {
    const { stream } = await harness(
      async function* run({ sleep }) {
        yield { artifact: 'sent', text: '1' };
        await sleep(0);
        yield { artifact: 'unsent', text: '2' };
        yield 'Hello';
      },
      { variant, closesWithWhole: true },
    );
    expect(shown(await stream('go'))).toEqual(['sent: 1', 'unsent: 2 last', 'response: Hello last', 'sent: 1 last']);
  });

  test('with closesWithWhole an artifact above maxOutputBytes is not sent again', async () => {
    const limits = { maxOutputBytes: 600 };
    const run = async function* run() {
      for (let i = 0; i < 3; i++) yield 'x'.repeat(300);
    };
    const { stream } = await harness(run, { variant, closesWithWhole: true, agents: [runnable(run, limits)] });
    const chunks = chunksOf(await stream('go'));
    expect(chunks.map(({ lastChunk }) => lastChunk)).toEqual([undefined, undefined, true]);
  });
});
