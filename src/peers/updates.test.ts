import { expect, test } from 'vitest';
import { type AgentEvent, toAgentEvent } from '../client/event.ts';
import type { PeerUpdate } from '../engine/calls/peers.ts';
import type { StreamResponse } from '../model/event.ts';
import type { TaskState } from '../model/state.ts';
import type { Task } from '../model/task.ts';
import { updatesOf } from './updates.ts';

const IDS = { taskId: 't', contextId: 'c' };

function taskWith(texts: Readonly<Record<string, string>>, state: TaskState = 'TASK_STATE_WORKING'): Task {
  const artifacts = Object.entries(texts).map(([name, text]) => ({ artifactId: name, name, parts: [{ text }] }));
  return { id: 't', contextId: 'c', status: { state }, artifacts };
}

function status(state: TaskState): StreamResponse {
  return { statusUpdate: { ...IDS, status: { state } } };
}

async function updates(
  first: Task | undefined,
  events: readonly StreamResponse[],
  whole: Task,
): Promise<readonly PeerUpdate[]> {
  async function* streamed(): AsyncGenerator<AgentEvent, void, void> {
    for (const event of events) yield toAgentEvent({ event, number: undefined, raw: event });
  }
  const found: PeerUpdate[] = [];
  const wholeTask = (): Promise<Task> => Promise.resolve(whole);
  for await (const update of updatesOf({ first, events: streamed, wholeTask })) found.push(update);
  return found;
}

test('chunks that neither the first state nor the events had come before the end', async () => {
  const ended = taskWith({ poem: 'Roses are red', notes: 'Thorns' }, 'TASK_STATE_COMPLETED');
  const found = await updates(taskWith({ poem: 'Roses ' }), [status('TASK_STATE_COMPLETED')], ended);
  expect(found).toEqual([
    { kind: 'artifact', name: 'poem', parts: [{ text: 'Roses ' }], append: false },
    { kind: 'artifact', name: 'poem', parts: [{ text: 'are red' }], append: true },
    { kind: 'artifact', name: 'notes', parts: [{ text: 'Thorns' }], append: false },
    { kind: 'settled', state: { kind: 'task', task: ended } },
  ]);
});

test('a subscriber that knows the earlier events gets no chunk again at the end', async () => {
  const ended = taskWith({ poem: 'Roses are red' }, 'TASK_STATE_COMPLETED');
  expect(await updates(undefined, [status('TASK_STATE_COMPLETED')], ended)).toEqual([
    { kind: 'settled', state: { kind: 'task', task: ended } },
  ]);
});

test('a question that was answered before the task was read does not end the updates', async () => {
  const found = await updates(taskWith({}), [status('TASK_STATE_INPUT_REQUIRED')], taskWith({ poem: 'Roses' }));
  expect(found.map(({ kind }) => kind)).toEqual(['artifact']);
});

test('a task that has settled before it is followed is the only state', async () => {
  const ended = taskWith({}, 'TASK_STATE_FAILED');
  expect(await updates(ended, [], ended)).toEqual([{ kind: 'settled', state: { kind: 'task', task: ended } }]);
});
