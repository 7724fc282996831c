import { expect, test } from 'vitest';
import type { StreamResponse, TaskArtifactUpdateEvent } from '../../../model/event.ts';
import { decode } from '../../dialect.ts';
import { artifactUpdate, createStreamEncoder, statusUpdate, streamResponse } from './event.ts';

const ARTIFACT_UPDATE: TaskArtifactUpdateEvent = {
  taskId: 't1',
  contextId: 'c1',
  artifact: { artifactId: 'a1', parts: [{ text: 'yo' }] },
};

test('both flags of an artifact event are always encoded', () => {
  expect(artifactUpdate.encode(ARTIFACT_UPDATE)).toEqual({ ...ARTIFACT_UPDATE, append: false, lastChunk: false });
  const last = { ...ARTIFACT_UPDATE, append: true, lastChunk: true, metadata: { a: 1 } };
  expect(artifactUpdate.encode(last)).toEqual(last);
});

test('flags that are false are absent from the model', () => {
  const wire = { ...ARTIFACT_UPDATE, append: false, lastChunk: false };
  expect(decode(artifactUpdate, wire, 'response').value).toEqual(ARTIFACT_UPDATE);
  const snake = { task_id: 't1', context_id: 'c1', artifact: ARTIFACT_UPDATE.artifact, last_chunk: true };
  expect(decode(artifactUpdate, snake, 'response').value).toEqual({ ...ARTIFACT_UPDATE, lastChunk: true });
});

test.each([
  ['TASK_STATE_COMPLETED', true],
  ['TASK_STATE_INPUT_REQUIRED', false],
  ['TASK_STATE_WORKING', false],
] as const)('an event with %s outside a stream is final: %s', (state, final) => {
  const event = { taskId: 't1', contextId: 'c1', status: { state }, metadata: { a: 1 } };
  expect(statusUpdate.encode(event)).toEqual({ ...event, final });
  expect(decode(statusUpdate, { ...event, final }, 'response').value).toEqual(event);
});

test.each([true, false])('a status event in a stream is final only if it closes the stream: %s', (closes) => {
  const event: StreamResponse = {
    statusUpdate: { taskId: 't1', contextId: 'c1', status: { state: 'TASK_STATE_INPUT_REQUIRED' } },
  };
  const items = createStreamEncoder().encode(event, closes);
  expect(items).toEqual([{ statusUpdate: { ...event.statusUpdate, final: closes } }]);
});

test('other items of a stream are wrapped by their type', () => {
  const encoder = createStreamEncoder();
  const task = { id: 't1', status: { state: 'TASK_STATE_CANCELED' as const } };
  expect(encoder.encode({ task }, true)).toEqual([{ task: { id: 't1', status: { state: 'TASK_STATE_CANCELLED' } } }]);
  const message = { messageId: 'm', role: 'ROLE_AGENT' as const, parts: [{ text: 'a' }] };
  expect(encoder.encode({ message }, true)).toEqual([
    { message: { messageId: 'm', role: 'ROLE_AGENT', content: [{ text: 'a' }] } },
  ]);
  expect(encoder.encode({ artifactUpdate: ARTIFACT_UPDATE }, false)).toEqual([
    { artifactUpdate: { ...ARTIFACT_UPDATE, append: false, lastChunk: false } },
  ]);
});

test.each([[{}], [{ task: { id: 't' }, statusUpdate: {} }], [[]]])(
  'an item must have exactly one member: %j',
  (wire) => {
    expect(() => decode(streamResponse, wire, 'response')).toThrow('expected');
  },
);
