import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Artifact } from '../../model/artifact.ts';
import type { StreamResponse } from '../../model/event.ts';
import { applyEvent } from '../../model/fold.ts';
import type { Message } from '../../model/message.ts';
import type { Part } from '../../model/part.ts';
import type { Task } from '../../model/task.ts';
import { defined } from '../../support/defined.ts';
import { decodeResult, operationCodec } from '../dialect.ts';
import { v03 } from '../v03/index.ts';
import { snapshotStream } from './snapshot-stream.ts';

const dialect = snapshotStream.forServer?.(v03) ?? v03;
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

test('each event becomes the whole task in its state after the event', () => {
  const start: StreamResponse = { task: { id: 't1', contextId: 'c1', status: { state: 'TASK_STATE_SUBMITTED' } } };
  const head = { kind: 'task', id: 't1', contextId: 'c1' };
  expect(encodeAll(start, working, chunk('x', false), chunk('y', true), done)).toEqual([
    { ...head, status: { state: 'submitted' } },
    { ...head, status: { state: 'working', message: said } },
    { ...head, status: { state: 'working', message: said }, artifacts: [artifact('x')] },
    { ...head, status: { state: 'working', message: said }, artifacts: [artifact('xy')] },
    { ...head, status: { state: 'completed' }, artifacts: [artifact('xy')] },
  ]);
});

test('a stream that starts in the middle contains only what it has received', () => {
  const head = { kind: 'task', id: 't1', contextId: 'c1' };
  expect(encodeAll(chunk('x', false), done)).toEqual([
    { ...head, status: { state: 'working' }, artifacts: [artifact('x')] },
    { ...head, status: { state: 'completed' }, artifacts: [artifact('x')] },
  ]);
  expect(encodeAll(done)).toEqual([{ ...head, status: { state: 'completed' } }]);
});

const someMetadata = fc.option(fc.dictionary(fc.constantFrom('x', 'y'), fc.nat(9)), { nil: undefined });
const someArtifact = fc
  .record({
    artifactId: fc.constantFrom('a', 'b'),
    parts: fc.array(fc.oneof(fc.record({ text: fc.string() }), fc.record({ data: fc.jsonValue() })), { maxLength: 3 }),
    name: fc.constantFrom(undefined, 'n1', 'n2'),
    metadata: someMetadata,
  })
  .map((artifact) => defined(artifact) as Artifact);
const someStatus = fc.constantFrom<Task['status']>(
  { state: 'TASK_STATE_WORKING', message },
  { state: 'TASK_STATE_FAILED' },
);
const someEvent: fc.Arbitrary<StreamResponse> = fc.oneof(
  someStatus.map((status) => ({ statusUpdate: { ...ids, status } })),
  fc.tuple(someArtifact, fc.boolean()).map(([artifact, append]) => ({ artifactUpdate: { ...ids, artifact, append } })),
  fc
    .tuple(someStatus, fc.array(someArtifact, { maxLength: 3 }))
    .map(([status, artifacts]) => ({ task: { id: 't1', contextId: 'c1', status, artifacts, history: [message] } })),
);

test('an item for any sequence of events is the folded task in the 0.3 format', () => {
  fc.assert(
    fc.property(fc.array(someEvent, { maxLength: 12 }), (events) => {
      let task: Task = { id: 't1', contextId: 'c1', status: { state: 'TASK_STATE_WORKING' } };
      const expected = events.map((event) => {
        task = applyEvent(task, event);
        return operationCodec(v03, 'GetTask').result.encode(task);
      });
      expect(encodeAll(...events)).toEqual(expected);
    }),
  );
});

test('an item that was returned does not change with later events', () => {
  const encoder = dialect.createStreamEncoder();
  const [item] = encoder.encode(chunk('x', false), false);
  const copy = structuredClone(item);
  encoder.encode(chunk('y', true), false);
  expect(item).toEqual(copy);
});

/** How often parts are read while a stream of that many chunks is encoded. */
function partReads(chunks: number): number {
  let count = 0;
  const watched = (part: Part): Part =>
    new Proxy(part, {
      get: (target, key) => (count++, Reflect.get(target, key)),
      has: (target, key) => (count++, Reflect.has(target, key)),
    });
  const events = Array.from({ length: chunks }, (): StreamResponse => {
    const artifact = { artifactId: 'a', parts: [watched({ text: 'x' })] };
    return { artifactUpdate: { ...ids, artifact, append: true } };
  });
  expect(encodeAll(...events)).toHaveLength(chunks);
  return count;
}

test('each part is translated once, even if many items contain it', () => {
  expect(partReads(1)).toBeGreaterThan(0);
  expect(partReads(300)).toBe(300 * partReads(1));
});

test('a bare message stays a message', () => {
  expect(encodeAll({ message })).toEqual([said]);
});

test('two streams share no state', () => {
  encodeAll(chunk('x', false));
  expect(encodeAll(working)).toEqual([expect.not.objectContaining({ artifacts: expect.anything() })]);
});

test('stream items have the id 0 only for agents mounted with this profile', () => {
  expect(dialect.streamItemId).toBe(0);
  expect(v03.streamItemId).toBeUndefined();
  expect(v03.createStreamEncoder().encode(working, false)).toMatchObject([{ kind: 'status-update' }]);
});

test('snapshots of agent-native are decoded without changes', () => {
  const item = { kind: 'task', id: 't1', contextId: 'c1', status: { state: 'working', message: said } };
  const { value, warnings } = decodeResult(v03, 'SendStreamingMessage', item, { strict: true });
  expect(value).toEqual({ task: { id: 't1', contextId: 'c1', status: { state: 'TASK_STATE_WORKING', message } } });
  expect(warnings).toEqual([]);
});

test('the item of the next event contains a skipped event', () => {
  const encoder = dialect.createStreamEncoder();
  encoder.skip?.(chunk('x', false));
  encoder.skip?.(chunk('y', true));
  expect(encoder.encode(done, true)).toMatchObject([{ status: { state: 'completed' }, artifacts: [artifact('xy')] }]);
});
