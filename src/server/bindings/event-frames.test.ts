import { expect, test } from 'vitest';
import type { StreamItem } from '../../engine/stream/subscribe.ts';
import { dialectOf, profileDialect } from '../../wire/select.ts';
import { EventFrames } from './event-frames.ts';
import { type Envelope, SseFrames } from './sse-frames.ts';

const ENVELOPE: Envelope = { before: '', after: '', error: String, failure: String };
const IDS = { taskId: 't', contextId: 'c' };

function chunk(number: number): StreamItem {
  const artifactUpdate = { ...IDS, artifact: { artifactId: 'a', parts: [{ text: `${number} ` }] }, append: number > 1 };
  return { kind: 'artifact', number, body: JSON.stringify({ artifactUpdate }) };
}

const done: StreamItem = {
  kind: 'status',
  number: 4,
  body: JSON.stringify({ statusUpdate: { ...IDS, status: { state: 'TASK_STATE_COMPLETED' } } }),
};

async function idsOf(batches: readonly (readonly StreamItem[])[], dialect = profileDialect('agent-native')) {
  async function* items(): AsyncGenerator<readonly StreamItem[], void> {
    yield* batches;
  }
  const events = { items: items(), alias: undefined, historyLength: undefined, endsAtQuestion: true };
  let text = '';
  for await (const piece of new EventFrames(events, dialect, new SseFrames(ENVELOPE), () => false)) text += piece;
  return { ids: [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id)), text };
}

test('a stream of whole tasks sends chunks that arrive together as one task with all the text', async () => {
  const { ids, text } = await idsOf([[chunk(1), chunk(2), chunk(3), done]]);
  expect(ids).toEqual([3, 4]);
  expect(text).toContain('"1 2 3 "');
});

test('a stream of whole tasks sends a task for each chunk that arrives separately', async () => {
  expect((await idsOf([[chunk(1)], [chunk(2)], [chunk(3)], [done]])).ids).toEqual([1, 2, 3, 4]);
});

test.each(['1.0', '0.3'] as const)('a stream of events in %s sends every chunk', async (version) => {
  expect((await idsOf([[chunk(1), chunk(2), chunk(3), done]], dialectOf(version))).ids).toEqual([1, 2, 3, 4]);
});
