import { expect, test } from 'vitest';
import type { Task } from '../../model/task.ts';
import { HISTORY_KEY, PAGE_BYTES, withHistory, withinPage } from './task-page.ts';

function taskOf(lengths: readonly number[], more: Partial<Task> = {}): Task {
  const history = lengths.map((length, i) => ({
    messageId: `m${i}`,
    role: 'ROLE_USER' as const,
    parts: [{ text: 'x'.repeat(length) }],
  }));
  return { id: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING' }, history, ...more };
}

function idsOf({ history = [] }: Task): string {
  return history.map(({ messageId }) => messageId).join(' ');
}

const HALF = PAGE_BYTES / 2;

test('a task that fits is left as it is', () => {
  const task = taskOf([HALF, 10]);
  expect(withinPage(task)).toBe(task);
  const { history: _, ...bare } = task;
  expect(withinPage(bare)).toBe(bare);
});

test('the oldest messages are left out, and their number stands beside other metadata', () => {
  const task = withinPage(taskOf([HALF, HALF, HALF - 100, 10], { metadata: { colour: 'green' } }));
  expect([idsOf(task), task.metadata]).toEqual(['m2 m3', { colour: 'green', [HISTORY_KEY]: { omitted: 2 } }]);
});

test('a task whose other parts take all the room has no history at all', () => {
  const artifacts = [{ artifactId: 'a', parts: [{ text: 'x'.repeat(PAGE_BYTES) }] }];
  const task = withinPage(taskOf([10, 10], { artifacts }));
  expect([task.history, task.artifacts, task.metadata]).toEqual([
    undefined,
    artifacts,
    { [HISTORY_KEY]: { omitted: 2 } },
  ]);
});

test('messages that were left out before are counted with those that are left out now', () => {
  const task = withinPage(taskOf([PAGE_BYTES, 10], { metadata: { [HISTORY_KEY]: { omitted: 5 } } }));
  expect([idsOf(task), task.metadata]).toEqual(['m1', { [HISTORY_KEY]: { omitted: 6 } }]);
});

test.each([
  [undefined, 'm0 m1 m2', { colour: 'green', [HISTORY_KEY]: { omitted: 4 } }],
  [100, 'm0 m1 m2', { colour: 'green', [HISTORY_KEY]: { omitted: 4 } }],
  [5, 'm0 m1 m2', { colour: 'green', [HISTORY_KEY]: { omitted: 2 } }],
  [3, 'm0 m1 m2', { colour: 'green' }],
  [2, 'm1 m2', { colour: 'green' }],
  [0, '', { colour: 'green' }],
])('messages beyond the requested number (%s) do not count as omitted', (length, ids, metadata) => {
  const task = taskOf([1, 1, 1], { metadata: { colour: 'green', [HISTORY_KEY]: { omitted: 4 } } });
  expect([idsOf(withHistory(task, length)), withHistory(task, length).metadata]).toEqual([ids, metadata]);
});

test('a task with fewer messages than asked for is left as it is, and without any it has no member', () => {
  const task = taskOf([1, 1]);
  expect(withHistory(task, 2)).toBe(task);
  expect(idsOf(withHistory(task, 1))).toBe('m1');
  expect(withHistory(task, 0)).toEqual({ id: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING' } });
});
