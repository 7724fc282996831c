import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { StreamResponse } from '../model/event.ts';
import type { Task } from '../model/task.ts';
import { TaskFold } from './task-fold.ts';

const ids = { taskId: 't', contextId: 'c' };
const WORKING: Task = { id: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING' } };

function withTexts(...texts: readonly string[]): Task {
  return { ...WORKING, artifacts: [{ artifactId: 'a', parts: texts.map((text) => ({ text })) }] };
}

function chunk(parts: readonly string[], append?: boolean): StreamResponse {
  const artifact = { artifactId: 'a', parts: parts.map((text) => ({ text })) };
  return { artifactUpdate: { ...ids, artifact, ...(append === true && { append }) } };
}

test.each<[string, Task, Task, readonly StreamResponse[]]>([
  ['nothing', withTexts('one'), withTexts('one'), []],
  ['an artifact', WORKING, withTexts('one', 'two'), [chunk(['one', 'two'])]],
  ['parts at the end', withTexts('one'), withTexts('one', 'two', 'three'), [chunk(['two', 'three'], true)]],
  [
    'pieces that the agent keeps as one',
    withTexts('one ', 'two '),
    withTexts('one two three'),
    [chunk(['three'], true)],
  ],
  ['pieces that the agent keeps as one, with nothing new', withTexts('one ', 'two'), withTexts('one two'), []],
  ['another text in place of the first', withTexts('rough'), withTexts('fine'), [chunk(['fine'])]],
  ['a shorter text in place of the first', withTexts('rough', 'draft'), withTexts('rough'), [chunk(['rough'])]],
  [
    'another state',
    WORKING,
    { ...WORKING, status: { state: 'TASK_STATE_COMPLETED' } },
    [{ statusUpdate: { ...ids, status: { state: 'TASK_STATE_COMPLETED' } } }],
  ],
])('what was missed: %s', (_case, known, later, expected) => {
  const fold = new TaskFold(known);
  expect([...fold.missed(later)]).toEqual(expected);
});

test('a status that says something else was missed, one with another time was not', () => {
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

test('whoever knows nothing missed the task', () => {
  expect([...new TaskFold().missed(WORKING)]).toEqual([{ task: WORKING }]);
});

test('wherever a stream of chunks is cut, what comes before and what was missed are the whole', () => {
  const chunks = fc.array(fc.tuple(fc.constantFrom('a', 'b'), fc.string(), fc.boolean()), { maxLength: 20 });
  fc.assert(
    fc.property(chunks, fc.nat(20), (all, cut) => {
      const events = all.map(([artifactId, text, append]): StreamResponse => ({
        artifactUpdate: { ...ids, artifact: { artifactId, parts: [{ text }] }, append },
      }));
      const whole = new TaskFold(WORKING);
      for (const event of events) whole.take(event);
      const reader = new TaskFold(WORKING);
      for (const event of events.slice(0, cut)) reader.take(event);
      const missed = [...reader.missed(whole.task() ?? WORKING)];
      for (const event of missed) reader.take(event);
      expect(textsIn(reader)).toEqual(textsIn(whole));
      expect([...reader.missed(whole.task() ?? WORKING)]).toEqual([]);
    }),
  );
});

function textsIn(fold: TaskFold): Record<string, string> {
  const entries = (fold.task()?.artifacts ?? []).map(({ artifactId, parts }) => [
    artifactId,
    parts.map((part) => ('text' in part ? part.text : '')).join(''),
  ]);
  return Object.fromEntries(entries) as Record<string, string>;
}

test('a stream without a task at its beginning makes one', () => {
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

test('the size is that of what is there, also after a snapshot', () => {
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
