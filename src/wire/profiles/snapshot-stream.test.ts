import { expect, test } from 'vitest';
import type { StreamResponse } from '../../model/event.ts';
import type { Message } from '../../model/message.ts';
import { decodeResult } from '../dialect.ts';
import { v03 } from '../v03/index.ts';
import { snapshotStream } from './snapshot-stream.ts';

const dialect = snapshotStream.answer?.(v03) ?? v03;
const ids = { taskId: 't1', contextId: 'c1' };
const message: Message = { messageId: 'm1', role: 'ROLE_AGENT', parts: [{ text: 'Generating' }] };
const working: StreamResponse = { statusUpdate: { ...ids, status: { state: 'TASK_STATE_WORKING', message } } };
const done: StreamResponse = { statusUpdate: { ...ids, status: { state: 'TASK_STATE_COMPLETED' } } };

function chunk(text: string, append: boolean): StreamResponse {
  return { artifactUpdate: { ...ids, artifact: { artifactId: 'a', parts: [{ text }] }, append } };
}

function encodeAll(...events: readonly StreamResponse[]): readonly unknown[] {
  const encoder = dialect.createStreamEncoder();
  return events.flatMap((event, i) => encoder.encode(event, i === events.length - 1));
}

const said = { kind: 'message', messageId: 'm1', role: 'agent', parts: [{ kind: 'text', text: 'Generating' }] };
const artifact = (...texts: string[]) => ({ artifactId: 'a', parts: texts.map((text) => ({ kind: 'text', text })) });

test('each event becomes the whole task as it is after it', () => {
  const start: StreamResponse = { task: { id: 't1', contextId: 'c1', status: { state: 'TASK_STATE_SUBMITTED' } } };
  const head = { kind: 'task', id: 't1', contextId: 'c1' };
  expect(encodeAll(start, working, chunk('x', false), chunk('y', true), done)).toEqual([
    { ...head, status: { state: 'submitted' } },
    { ...head, status: { state: 'working', message: said } },
    { ...head, status: { state: 'working', message: said }, artifacts: [artifact('x')] },
    { ...head, status: { state: 'working', message: said }, artifacts: [artifact('x', 'y')] },
    { ...head, status: { state: 'completed' }, artifacts: [artifact('x', 'y')] },
  ]);
});

test('a stream that starts in the middle makes do with what it has seen', () => {
  const head = { kind: 'task', id: 't1', contextId: 'c1' };
  expect(encodeAll(chunk('x', false), done)).toEqual([
    { ...head, status: { state: 'working' }, artifacts: [artifact('x')] },
    { ...head, status: { state: 'completed' }, artifacts: [artifact('x')] },
  ]);
  expect(encodeAll(done)).toEqual([{ ...head, status: { state: 'completed' } }]);
});

test('a bare message stays a message', () => {
  expect(encodeAll({ message })).toEqual([said]);
});

test('two streams know nothing of each other', () => {
  encodeAll(chunk('x', false));
  expect(encodeAll(working)).toEqual([expect.not.objectContaining({ artifacts: expect.anything() })]);
});

test('stream items have the id 0, on mounts with this profile only', () => {
  expect(dialect.streamItemId).toBe(0);
  expect(v03.streamItemId).toBeUndefined();
  expect(v03.createStreamEncoder().encode(working, false)).toMatchObject([{ kind: 'status-update' }]);
});

test("agent-native's snapshots are read as they are", () => {
  const item = { kind: 'task', id: 't1', contextId: 'c1', status: { state: 'working', message: said } };
  const { value, warnings } = decodeResult(v03, 'SendStreamingMessage', item, { strict: true });
  expect(value).toEqual({ task: { id: 't1', contextId: 'c1', status: { state: 'TASK_STATE_WORKING', message } } });
  expect(warnings).toEqual([]);
});
