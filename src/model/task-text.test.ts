import { expect, test } from 'vitest';
import type { Part } from './part.ts';
import type { Task } from './task.ts';
import { textOfChunks, textOfStatus, textOfTask } from './task-text.ts';

const said = (text: string) => ({ messageId: text, role: 'ROLE_AGENT' as const, parts: [{ text }] });
const artifacts = [
  { artifactId: 'a', parts: [{ text: 'from ' }, { text: 'artifact' }] },
  { artifactId: 'b', parts: [{ data: 1 }] },
];

function task(
  state: 'COMPLETED' | 'FAILED' | 'INPUT_REQUIRED' | 'WORKING',
  more: Partial<Task> = {},
  message?: string,
): Task {
  const status = { state: `TASK_STATE_${state}` as const, ...(message !== undefined && { message: said(message) }) };
  return { id: 't', status, ...more };
}

test.each<[string, Task, string]>([
  ['artifacts', task('COMPLETED', { artifacts, history: [said('earlier')] }, 'status'), 'from artifact\n1'],
  ['the status if there are none', task('COMPLETED', { history: [said('earlier')] }, 'status'), 'status'],
  ['the history if there is no status', task('COMPLETED', { history: [said('first'), said('last')] }), 'last'],
  ['nothing', task('COMPLETED'), ''],
  ['the question, though there are artifacts', task('INPUT_REQUIRED', { artifacts }, 'Which?'), 'Which?'],
  ['the reason, though there are artifacts', task('FAILED', { artifacts }, 'No luck'), 'No luck'],
  ['artifacts if there is no reason', task('FAILED', { artifacts }), 'from artifact\n1'],
  ['the artifacts so far while it works', task('WORKING', { artifacts }, 'Working on it'), 'from artifact\n1'],
])('the text of a task is %s', (_case, given, text) => {
  expect(textOfTask(given)).toBe(text);
});

test('the text of a status omits its data, unless it has only data', () => {
  const status = (parts: readonly Part[]) =>
    ({ state: 'TASK_STATE_INPUT_REQUIRED', message: { messageId: 'm', role: 'ROLE_AGENT', parts } }) as const;
  expect(textOfStatus(status([{ text: 'Sure?' }, { data: { question: { kind: 'confirm' } } }]))).toBe('Sure?');
  expect(textOfStatus(status([{ data: 1 }]))).toBe('1');
  expect(textOfStatus({ state: 'TASK_STATE_WORKING' })).toBe('');
});

test('chunks of text are joined, data gets its own line, files have no text', () => {
  const parts = [{ text: 'a' }, { text: 'b' }, { data: { x: 1 } }, { text: 'c' }, { raw: 'AA==' }, { text: 'd' }];
  expect(textOfChunks(parts)).toBe('ab\n{"x":1}\nc\nd');
});
