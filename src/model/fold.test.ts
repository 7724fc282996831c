import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Artifact } from './artifact.ts';
import type { StreamResponse } from './event.ts';
import { applyEvent } from './fold.ts';
import type { Message } from './message.ts';
import type { Task } from './task.ts';

const task: Task = { id: 't1', contextId: 'c1', status: { state: 'TASK_STATE_SUBMITTED' } };
const message: Message = { messageId: 'm1', role: 'ROLE_AGENT', parts: [{ text: 'hm' }] };

function chunk(artifact: Artifact, append?: true): StreamResponse {
  return { artifactUpdate: { taskId: 't1', contextId: 'c1', artifact, ...(append && { append }) } };
}

function fold(...events: readonly StreamResponse[]): Task {
  return events.reduce(applyEvent, task);
}

test('a status event replaces only the status', () => {
  const before = fold(chunk({ artifactId: 'a', parts: [{ text: '1' }] }));
  const status = { state: 'TASK_STATE_WORKING', message, timestamp: '2026-03-12T10:00:00.000Z' } as const;
  const event = { statusUpdate: { taskId: 't1', contextId: 'c1', status, metadata: { span: 1 } } };
  expect(applyEvent(before, event)).toEqual({ ...before, status });
});

test('a status without a message removes the old message', () => {
  const working = { ...task, status: { state: 'TASK_STATE_WORKING', message } } as const;
  const event = { statusUpdate: { taskId: 't1', contextId: 'c1', status: { state: 'TASK_STATE_COMPLETED' } } } as const;
  expect(applyEvent(working, event).status).toEqual({ state: 'TASK_STATE_COMPLETED' });
});

test('a task event replaces the task', () => {
  const other: Task = { id: 't1', status: { state: 'TASK_STATE_COMPLETED' }, history: [message] };
  expect(applyEvent(task, { task: other })).toBe(other);
});

test('a message event does not change the task', () => {
  expect(applyEvent(task, { message })).toBe(task);
});

test('neither the task nor its artifacts are changed in place', () => {
  const before = fold(chunk({ artifactId: 'a', parts: [{ text: '1' }] }));
  const copy = structuredClone(before);
  applyEvent(before, chunk({ artifactId: 'a', parts: [{ text: '2' }] }, true));
  expect(before).toEqual(copy);
});

// The state of artifact `a` after chunks.

const first: Artifact = {
  artifactId: 'a',
  name: 'n1',
  description: 'd1',
  parts: [{ text: '1' }],
  metadata: { x: 1, y: { z: 1 } },
};

test.each<[string, readonly StreamResponse[], Artifact]>([
  ['a first chunk creates the artifact', [chunk(first)], first],
  ['appending to an unknown id creates the artifact', [chunk(first, true)], first],
  [
    'a chunk without append replaces the artifact',
    [chunk(first), chunk({ artifactId: 'a', parts: [{ text: '2' }] })],
    { artifactId: 'a', parts: [{ text: '2' }] },
  ],
  [
    'a chunk with append adds parts, joins texts, and keeps the other members',
    [chunk(first), chunk({ artifactId: 'a', parts: [{ text: '2' }, { data: null }] }, true)],
    { ...first, parts: [{ text: '12' }, { data: null }] },
  ],
  [
    'a later name and description replace earlier ones',
    [chunk(first), chunk({ artifactId: 'a', name: 'n2', description: 'd2', parts: [] }, true)],
    { ...first, name: 'n2', description: 'd2' },
  ],
  [
    'an empty name or description does not replace earlier ones',
    [chunk(first), chunk({ artifactId: 'a', name: '', description: '', parts: [] }, true)],
    first,
  ],
  [
    'metadata is merged, one level deep',
    [chunk(first), chunk({ artifactId: 'a', parts: [], metadata: { y: { w: 2 }, v: null } }, true)],
    { ...first, metadata: { x: 1, y: { w: 2 }, v: null } },
  ],
  [
    'chunks after a replacement are added to the new artifact',
    [chunk(first), chunk({ artifactId: 'a', parts: [] }), chunk({ artifactId: 'a', parts: [{ text: '3' }] }, true)],
    { artifactId: 'a', parts: [{ text: '3' }] },
  ],
])('%s', (_case, events, artifact) => {
  expect(fold(...events).artifacts).toEqual([artifact]);
});

test('artifacts keep the order of their first chunks', () => {
  const events = ['b', 'a', 'b', 'c', 'a'].map((artifactId) => chunk({ artifactId, parts: [] }, true));
  expect(fold(...events).artifacts?.map(({ artifactId }) => artifactId)).toEqual(['b', 'a', 'c']);
});

test('chunks of different artifacts may interleave in any way', () => {
  const texts = fc.array(fc.string(), { minLength: 1, maxLength: 6 });
  const artifacts = fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__'), texts, { minKeys: 1 });
  // Which artifact the next chunk comes from; each artifact's own chunks stay in order.
  const turns = fc.array(fc.nat(), { maxLength: 30 });
  fc.assert(
    fc.property(artifacts, turns, (chunksOf, picks) => {
      const queues = Object.entries(chunksOf).map(([id, list]) => ({ id, left: [...list] }));
      const events: StreamResponse[] = [];
      for (let i = 0; queues.some(({ left }) => left.length > 0); i++) {
        const waiting = queues.filter(({ left }) => left.length > 0);
        const queue = waiting[(picks[i] ?? 0) % waiting.length];
        const text = queue?.left.shift() ?? '';
        events.push(chunk({ artifactId: queue?.id ?? '', parts: [{ text }] }, true));
      }
      const folded = fold(...events).artifacts ?? [];
      expect(new Map(folded.map(({ artifactId, parts }) => [artifactId, parts]))).toEqual(
        new Map(Object.entries(chunksOf).map(([id, list]) => [id, [{ text: list.join('') }]])),
      );
    }),
  );
});
