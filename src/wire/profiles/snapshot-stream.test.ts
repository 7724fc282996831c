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

test('each event becomes the whole task as it is after it', () => {
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

test('a stream that starts in the middle makes do with what it has seen', () => {
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

test('whatever comes, an item is the folded task as 0.3 writes it', () => {
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

test('an item that was given out does not change when more comes', () => {
  const encoder = dialect.createStreamEncoder();
  const [item] = encoder.encode(chunk('x', false), false);
  const copy = structuredClone(item);
  encoder.encode(chunk('y', true), false);
  expect(item).toEqual(copy);
});

/** How often the parts of a stream of so many chunks are looked into. */
function looks(chunks: number): number {
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

test('each part is translated once, however many items show it', () => {
  expect(looks(1)).toBeGreaterThan(0);
  expect(looks(300)).toBe(300 * looks(1));
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

test('an event that is skipped is in the item of the next one', () => {
  const encoder = dialect.createStreamEncoder();
  encoder.skip?.(chunk('x', false));
  encoder.skip?.(chunk('y', true));
  expect(encoder.encode(done, true)).toMatchObject([{ status: { state: 'completed' }, artifacts: [artifact('xy')] }]);
});
