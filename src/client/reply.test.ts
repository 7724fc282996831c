import { expect, test } from 'vitest';
import type { Part } from '../model/part.ts';
import type { TaskState } from '../model/state.ts';
import { messageReply, taskReply, throwIfEmpty } from './reply.ts';

function ended(parts: readonly Part[], state: TaskState = 'TASK_STATE_COMPLETED') {
  const artifacts = parts.length === 0 ? {} : { artifacts: [{ artifactId: 'a', parts }] };
  return taskReply({ id: 't', contextId: 'c', status: { state }, ...artifacts }, 'handle', 'trace', undefined);
}

const replied = (...parts: readonly Part[]) =>
  messageReply({ messageId: 'm', role: 'ROLE_AGENT', parts }, 'trace', undefined);

test.each([
  ['a task without an artifact', ended([])],
  ['a task with blank text', ended([{ text: ' \n' }])],
  ['a message without parts', replied()],
  ['a message with blank text', replied({ text: '' })],
])('%s is empty', (_case, reply) => {
  expect(() => throwIfEmpty(reply)).toThrow(expect.objectContaining({ code: 'INVALID_AGENT_RESPONSE' }) as Error);
});

test.each([
  ['a task with text', ended([{ text: 'Hello' }])],
  ['a task with data', ended([{ data: null }])],
  ['a task with a file', ended([{ url: 'https://example.com/a.png' }])],
  ['a task that failed', ended([], 'TASK_STATE_FAILED')],
  ['a task that asks', ended([], 'TASK_STATE_INPUT_REQUIRED')],
  ['a message with a file', replied({ raw: '' })],
])('%s is not an empty completion', (_case, reply) => {
  expect(() => throwIfEmpty(reply)).not.toThrow();
});
