import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Artifact } from '../../model/artifact.ts';
import type { StreamResponse } from '../../model/event.ts';
import type { Part } from '../../model/part.ts';
import type { Task } from '../../model/task.ts';
import { TaskFold } from './task-fold.ts';

const ids = { taskId: 't', contextId: 'c' };
const WORKING: Task = { id: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING' } };

function withTexts(...texts: readonly string[]): Task {
  return { ...WORKING, artifacts: [{ artifactId: 'a', parts: texts.map((text) => ({ text })) }] };
}

function withParts(...parts: readonly Part[]): Task {
  return { ...WORKING, artifacts: [{ artifactId: 'a', parts }] };
}

function chunk(parts: readonly string[], append?: boolean): StreamResponse {
  const artifact = { artifactId: 'a', parts: parts.map((text) => ({ text })) };
  return { artifactUpdate: { ...ids, artifact, ...(append === true && { append }) } };
}

test.each<[string, Task, Task, readonly StreamResponse[]]>([
  ['nothing', withTexts('one'), withTexts('one'), []],
  ['an artifact', WORKING, withTexts('one', 'two'), [chunk(['one', 'two'])]],
  ['parts at the end', withTexts('one'), withTexts('one', 'two', 'three'), [chunk(['twothree'], true)]],
  ['chunks that the agent joined', withTexts('one ', 'two '), withTexts('one two three'), [chunk(['three'], true)]],
  ['chunks that the agent joined, with nothing new', withTexts('one ', 'two'), withTexts('one two'), []],
  [
    'text after data, if the agent joined the texts',
    withParts({ text: 'one ' }, { text: 'two' }, { data: 1 }, { text: 'th' }),
    withParts({ text: 'one two' }, { data: 1 }, { text: 'three' }, { data: 2 }),
    [
      {
        artifactUpdate: { ...ids, artifact: { artifactId: 'a', parts: [{ text: 'ree' }, { data: 2 }] }, append: true },
      },
    ],
  ],
  [
    'text after data, if the agent kept the chunks',
    withParts({ text: 'one two' }, { data: 1 }, { text: 'th' }),
    withParts({ text: 'one ' }, { text: 'two' }, { data: 1 }, { text: 'th' }, { text: 'ree' }),
    [{ artifactUpdate: { ...ids, artifact: { artifactId: 'a', parts: [{ text: 'ree' }] }, append: true } }],
  ],
  [
    'text whose parts have another media type in the snapshot',
    withTexts('Hel', 'lo'),
    withParts({ text: 'Hello', mediaType: 'text/plain' }),
    [],
  ],
  [
    'text whose chunks have metadata',
    withParts({ text: 'Hel', metadata: { k: 1 } }, { text: 'lo', metadata: { k: 2 } }),
    withTexts('Hello there'),
    [chunk([' there'], true)],
  ],
  ['a text that replaces the first one', withTexts('rough'), withTexts('fine'), [chunk(['fine'])]],
  ['a shorter text that replaces the first one', withTexts('rough', 'draft'), withTexts('rough'), [chunk(['rough'])]],
  [
    'another state',
    WORKING,
    { ...WORKING, status: { state: 'TASK_STATE_COMPLETED' } },
    [{ statusUpdate: { ...ids, status: { state: 'TASK_STATE_COMPLETED' } } }],
  ],
])('missed events: %s', (_case, known, later, expected) => {
  const fold = new TaskFold(known);
  expect([...fold.missed(later)]).toEqual(expected);
});

test('a status with another text is a missed event, one with only another time is not', () => {
  const said = (text: string, timestamp: string): Task => ({
    ...WORKING,
    status: {
      state: 'TASK_STATE_WORKING',
      timestamp,
      message: { messageId: text, role: 'ROLE_AGENT', parts: [{ text }] },
    },
  });
  const fold = new TaskFold(said('one', '2026-01-01T00:00:00.000Z'));
  expect([...fold.missed(said('one', '2026-01-02T00:00:00.000Z'))]).toEqual([]);
  expect([...fold.missed(said('two', '2026-01-01T00:00:00.000Z'))]).toHaveLength(1);
});

test('without a known task, the whole task is the missed event', () => {
  expect([...new TaskFold().missed(WORKING)]).toEqual([{ task: WORKING }]);
});

test('the chunks before and after a cut add up to the whole text, whether the agent joins texts or not', () => {
  const part = fc.oneof(
    fc.record({ text: fc.string({ maxLength: 3 }) }),
    fc.record({ text: fc.constantFrom('x', 'y'), mediaType: fc.constantFrom('text/plain', 'text/markdown') }),
    fc.record({ text: fc.constant('z'), metadata: fc.constant({ k: 1 }) }),
    fc.record({ data: fc.integer({ max: 2, min: 0 }) }),
  );
  const chunks = fc.array(fc.tuple(fc.constantFrom('a', 'b'), part, fc.boolean()), { maxLength: 20 });
  fc.assert(
    fc.property(chunks, fc.nat(20), fc.boolean(), (all, cut, isJoined) => {
      const events = all.map(([artifactId, one, append]): StreamResponse => ({
        artifactUpdate: { ...ids, artifact: { artifactId, parts: [one] }, append },
      }));
      const whole = new TaskFold(WORKING);
      for (const event of events) whole.take(event);
      const joined = whole.task() ?? WORKING;
      const snapshot = isJoined ? joined : { ...joined, artifacts: unjoined(all) };
      const reader = new TaskFold(WORKING);
      for (const event of events.slice(0, cut)) reader.take(event);
      const missed = [...reader.missed(snapshot)];
      for (const event of missed) reader.take(event);
      expect(contentOf(reader.task())).toEqual(contentOf(joined));
      expect([...reader.missed(snapshot)]).toEqual([]);
    }),
  );
});

/** The text of an artifact, whatever the boundaries of its parts. */
function contentOf(task: Task | undefined): Record<string, string> {
  const entries = (task?.artifacts ?? []).map(({ artifactId, parts }) => [
    artifactId,
    parts.map((part) => ('text' in part ? part.text : JSON.stringify(part))).join(''),
  ]);
  return Object.fromEntries(entries) as Record<string, string>;
}

/** The artifacts of an agent that keeps each chunk as a part. */
function unjoined(chunks: readonly (readonly [string, Part, boolean])[]): readonly Artifact[] {
  const parts = new Map<string, Part[]>();
  for (const [id, part, append] of chunks) parts.set(id, append ? [...(parts.get(id) ?? []), part] : [part]);
  return Array.from(parts, ([artifactId, list]) => ({ artifactId, parts: list }));
}

test('a snapshot is returned as the agent sent it until a chunk follows', () => {
  const fold = new TaskFold(withTexts('one', 'two'));
  expect(fold.task()).toEqual(withTexts('one', 'two'));
  fold.take(chunk(['three'], true));
  expect(fold.task()).toEqual(withTexts('onetwothree'));
});

test('a stream that does not start with a task creates one', () => {
  const fold = new TaskFold();
  fold.take(chunk(['one']));
  expect(fold.task()).toMatchObject({
    id: 't',
    status: { state: 'TASK_STATE_WORKING' },
    artifacts: [{ artifactId: 'a' }],
  });
  expect([fold.isOver, fold.isPaused]).toEqual([false, false]);
  fold.take({ statusUpdate: { ...ids, status: { state: 'TASK_STATE_AUTH_REQUIRED' } } });
  expect([fold.isOver, fold.isPaused]).toEqual([false, true]);
  fold.take({ statusUpdate: { ...ids, status: { state: 'TASK_STATE_REJECTED' } } });
  expect([fold.isOver, fold.isPaused]).toEqual([true, false]);
});

test('the size is that of the current artifacts, also after a snapshot', () => {
  const fold = new TaskFold(withTexts('one', 'two'));
  expect(fold.size).toBe(6);
  fold.take(chunk(['four'], true));
  expect(fold.size).toBe(10);
  fold.take({ task: withTexts('five') });
  expect(fold.size).toBe(4);
  fold.take(chunk(['six']));
  expect(fold.size).toBe(3);
  fold.take({ task: WORKING });
  expect(fold.size).toBe(0);
});
