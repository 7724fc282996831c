/** `streaming: { closeWithWhole: true }`: the last artifact event of a stream has the whole text. */
import { describe, expect, test } from 'vitest';

import { agent } from '../../src/server/index.ts';
import { type Deferred, deferred } from '../../src/support/deferred.ts';
import { serveOnSocket } from './kit/server.ts';
import { getTask, nextOf, restOf, streamEvents } from './kit/tasks.ts';
import { REST_03, REST_1, RPC_03, RPC_1 } from './kit/wire-formats.ts';
import type { DecodedEvent } from './kit/wire-formats/wire-format.ts';

const CHUNKS = ['One, ', 'two, ', 'three.'];
const WHOLE = 'One, two, three.';

/** Yields each chunk when the test resolves the gate before it, so that the server sends every chunk while the handler still runs. */
function storyteller(gates: readonly Deferred<void>[]) {
  return agent({
    name: 'Storyteller',
    description: 'Tells a story in chunks, or returns it.',
    async *run({ text }) {
      if (text === 'whole') return WHOLE;
      for (const [i, chunk] of CHUNKS.entries()) {
        yield chunk;
        await gates[i]?.promise;
      }
      return undefined;
    },
  });
}

function artifactsOf(events: readonly DecodedEvent[]) {
  return events.flatMap((event) =>
    event.kind === 'artifact' ? [{ text: event.text, append: event.append, lastChunk: event.lastChunk }] : [],
  );
}

async function start(options: { readonly closeWithWhole: boolean }) {
  const gates = CHUNKS.map(() => deferred<void>());
  const server = await serveOnSocket(storyteller(gates), { streaming: options });
  return { server, gates };
}

describe.each([RPC_1, REST_1, RPC_03, REST_03])('$name', (format) => {
  /** Reads the stream of a task, and lets the handler continue each time a chunk has arrived. */
  async function streamWithPauses(options: { readonly closeWithWhole: boolean }) {
    const { server, gates } = await start(options);
    const stream = await server.open(format.stream({ text: 'chunks' }));
    const events: DecodedEvent[] = [];
    for (const gate of gates) {
      let event: DecodedEvent;
      do {
        event = await nextOf(stream, format);
        events.push(event);
      } while (event.kind !== 'artifact');
      gate.resolve();
    }
    events.push(...(await restOf(stream, format)));
    const taskId = events.flatMap((event) => (event.kind === 'artifact' ? event.taskId : []))[0] ?? '';
    return { events, task: await getTask(server, format, taskId) };
  }

  test('with closeWithWhole the last artifact event has the whole text', async () => {
    const { events } = await streamWithPauses({ closeWithWhole: true });

    expect(artifactsOf(events)).toEqual([
      { text: 'One, ', append: false, lastChunk: false },
      { text: 'two, ', append: true, lastChunk: false },
      { text: 'three.', append: true, lastChunk: false },
      { text: WHOLE, append: false, lastChunk: true },
    ]);
    expect(events.at(-1)).toMatchObject({ kind: 'status', state: 'completed' });
  });

  test('with closeWithWhole the stored task has the text once', async () => {
    const { task } = await streamWithPauses({ closeWithWhole: true });

    expect(task).toMatchObject({ state: 'completed', artifacts: { response: WHOLE } });
  });

  test('without closeWithWhole chunks that were sent before the end stay without a last chunk', async () => {
    const { events, task } = await streamWithPauses({ closeWithWhole: false });

    expect(artifactsOf(events).map(({ text, lastChunk }) => ({ text, lastChunk }))).toEqual(
      CHUNKS.map((text) => ({ text, lastChunk: false })),
    );
    expect(task).toMatchObject({ state: 'completed', artifacts: { response: WHOLE } });
  });

  test('with closeWithWhole a returned text is sent once, as the last chunk', async () => {
    const { server } = await start({ closeWithWhole: true });

    const events = await streamEvents(server, format, { text: 'whole' });

    expect(artifactsOf(events)).toEqual([{ text: WHOLE, append: false, lastChunk: true }]);
  });
});
