import { describe, expect, test } from 'vitest';
import type { StreamResponse } from '../../model/event.ts';
import { decodeResult } from '../dialect.ts';
import { v03 } from './index.ts';

const ids = { taskId: 't', contextId: 'c' };
const working: StreamResponse = { statusUpdate: { ...ids, status: { state: 'TASK_STATE_WORKING' } } };
const paused: StreamResponse = { statusUpdate: { ...ids, status: { state: 'TASK_STATE_INPUT_REQUIRED' } } };
const done: StreamResponse = { statusUpdate: { ...ids, status: { state: 'TASK_STATE_COMPLETED' } } };
const chunk: StreamResponse = { artifactUpdate: { ...ids, artifact: { artifactId: 'a', parts: [{ text: 'x' }] } } };
const task: StreamResponse = { task: { id: 't', contextId: 'c', status: { state: 'TASK_STATE_SUBMITTED' } } };
const message: StreamResponse = { message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'x' }] } };

const written = (event: StreamResponse, closes = false): unknown => v03.createStreamEncoder().encode(event, closes)[0];
const read = (json: unknown): StreamResponse => decodeResult(v03, 'SendStreamingMessage', json).value;

test.each([
  ['task', task],
  ['message', message],
  ['status-update', working],
  ['artifact-update', chunk],
])('an event is encoded with the kind %s first and decoded again', (kind, event) => {
  const json = written(event) as object;
  expect(Object.entries(json)[0]).toEqual(['kind', kind]);
  expect(read(json)).toEqual(event);
});

describe('final', () => {
  test.each([
    ['an end', done, true, true],
    ['a question that ends the stream', paused, true, true],
    ['a question that does not', paused, false, false],
    ['progress', working, false, false],
  ])('on %s depends on whether the stream closes', (_, event, closes, final) => {
    expect(written(event, closes)).toMatchObject({ final });
  });

  test.each([
    [done, true],
    [paused, false],
  ])('outside a stream depends on the state: %j', (event, final) => {
    expect(v03.operations.SendStreamingMessage?.result.encode(event)).toMatchObject({ final });
  });

  test.each([
    [{ final: true }, true],
    [{ final: false }, false],
    [{}, false],
    [null, false],
    ['final', false],
  ])('of %j decides whether the subscriber stops: %j', (item, ends) => {
    expect(v03.endsStream(item)).toBe(ends);
  });
});

test('both flags of a chunk are always encoded, and false is not kept in the model', () => {
  expect(written(chunk)).toMatchObject({ append: false, lastChunk: false });
  expect(read(written(chunk))).toEqual(chunk);
});

test.each<[object, string]>([
  [{ id: 't', status: { state: 'working' } }, 'task'],
  [{ taskId: 't', contextId: 'c', status: { state: 'working' } }, 'statusUpdate'],
  [
    { taskId: 't', contextId: 'c', artifact: { artifactId: 'a', parts: [{ kind: 'text', text: 'x' }] } },
    'artifactUpdate',
  ],
  [{ messageId: 'm', role: 'agent', parts: [{ kind: 'text', text: 'x' }] }, 'message'],
])('an event without kind is recognised by its members: %j', (json, member) => {
  expect(Object.keys(read(json))).toEqual([member]);
});

test.each([null, 'x', {}, { kind: 'dream' }, []])('%j is rejected as an event', (json) => {
  expect(() => read(json)).toThrow(expect.objectContaining({ code: 'INVALID_AGENT_RESPONSE' }));
});

test.each([
  ['started', 'TASK_STATE_SUBMITTED'],
  ['pending', 'TASK_STATE_SUBMITTED'],
  ['processing', 'TASK_STATE_WORKING'],
  ['cancelled', 'TASK_STATE_CANCELED'],
  ['unknown', 'TASK_STATE_UNSPECIFIED'],
])('the state %s is decoded as %s', (state, expected) => {
  expect(read({ kind: 'task', id: 't', contextId: 'c', status: { state } })).toMatchObject({
    task: { status: { state: expected } },
  });
});
