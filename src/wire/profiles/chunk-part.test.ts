import { expect, test } from 'vitest';
import type { TaskArtifactUpdateEvent } from '../../model/event.ts';
import type { JsonObject } from '../../model/json.ts';
import { decodeResult } from '../dialect.ts';
import { v03 } from '../v03/index.ts';
import { chunkPart } from './artifacts.ts';

const repairs = chunkPart.repairs ?? [];
const ids = { taskId: 't1', contextId: 'c1' };
/** The event that the sample code of the RxJS agent sends. */
const SAMPLE = {
  kind: 'artifact-update',
  ...ids,
  index: 0,
  part: { kind: 'text', text: 'Result content here...', index: 0, append: false },
  timestamp: '2025-10-30T10:00:05.000Z',
};
const part = { text: 'Result content here...' };

test.each<[string, JsonObject, TaskArtifactUpdateEvent]>([
  ['the sample', SAMPLE, { ...ids, artifact: { artifactId: 'artifact-0', parts: [part] } }],
  [
    'flags inside the part move to the event',
    { ...SAMPLE, index: 2, part: { ...SAMPLE.part, append: true, lastChunk: true } },
    { ...ids, artifact: { artifactId: 'artifact-2', parts: [part] }, append: true, lastChunk: true },
  ],
  [
    'no index',
    { kind: 'artifact-update', ...ids, part: SAMPLE.part },
    { ...ids, artifact: { artifactId: 'artifact-0', parts: [part] } },
  ],
  [
    'flags on the event stay there',
    { ...SAMPLE, append: true },
    { ...ids, artifact: { artifactId: 'artifact-0', parts: [part] }, append: true },
  ],
])('an event with a chunk of one part is decoded: %s', (_case, json, artifactUpdate) => {
  const { value, warnings } = decodeResult(v03, 'SendStreamingMessage', json, { repairs });
  expect(value).toEqual({ artifactUpdate });
  expect(warnings).toEqual([
    {
      code: 'artifact-event-part',
      field: '',
      description: 'expected the member artifact; built one from the member part',
    },
  ]);
});

test('an official event is not changed', () => {
  const json = {
    kind: 'artifact-update',
    ...ids,
    artifact: { artifactId: 'a', parts: [{ kind: 'text', text: '' }] },
    index: 0,
    part: {},
  };
  const { value, warnings } = decodeResult(v03, 'SendStreamingMessage', json, { repairs });
  expect(value).toEqual({ artifactUpdate: { ...ids, artifact: { artifactId: 'a', parts: [{ text: '' }] } } });
  expect(warnings).toEqual([]);
});

test('the path of an invalid part is reported', () => {
  const json = { ...SAMPLE, part: { kind: 'text', text: 1 } };
  expect(() => decodeResult(v03, 'SendStreamingMessage', json, { repairs })).toThrow(
    'artifact.parts[0].text: expected a string',
  );
});

test('strict decoding rejects an event with a single part', () => {
  expect(() => decodeResult(v03, 'SendStreamingMessage', SAMPLE, { repairs, strict: true })).toThrow(
    expect.objectContaining({
      code: 'INVALID_AGENT_RESPONSE',
      violations: [{ field: 'artifact', description: 'expected the member artifact' }],
    }),
  );
});
