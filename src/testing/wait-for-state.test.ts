import { expect, onTestFinished, test } from 'vitest';
import { rawCall } from '../../test/helpers/raw-call.ts';
import type { Task } from '../model/task.ts';
import { fakeClock } from './fake-clock.ts';
import { fakePeer } from './fake-peer.ts';
import { type StateName, waitForState } from './wait-for-state.ts';

/** A task that is in the next state at each look, and stays in the last. */
function taskThatIs(...states: string[]): { get(): Promise<{ id: string; status: { state: string } }>; looks: number } {
  return {
    looks: 0,
    async get() {
      const state = states[Math.min(this.looks, states.length - 1)] ?? '';
      this.looks += 1;
      return { id: 't1', status: { state } };
    },
  };
}

test.each<[StateName | readonly StateName[]]>([['completed'], ['TASK_STATE_COMPLETED'], [['failed', 'completed']]])(
  'it looks until the task is %j',
  async (wanted) => {
    const task = taskThatIs('TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING', 'TASK_STATE_COMPLETED');

    expect(await waitForState(task, wanted)).toEqual({ id: 't1', status: { state: 'TASK_STATE_COMPLETED' } });
    expect(task.looks).toBe(3);
  },
);

test('waitForState finds a task by its id, also inside a reply', async () => {
  const asked: string[] = [];
  const client = {
    async get(id: string) {
      asked.push(id);
      return { kind: 'task', task: await taskThatIs('input-required').get() };
    },
  };

  expect((await waitForState(client, 't7', 'input-required')).task.id).toBe('t1');
  expect(asked).toEqual(['t7']);
});

test('waitForState polls a peer over a socket', async () => {
  const peer = await fakePeer({ script: [[{ status: 'working' }, 'Hello']], answersAtOnce: true });
  onTestFinished(() => peer.close());
  const format = { version: '1.0', binding: 'JSONRPC' } as const;
  const message = { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'hi' }] } as const;
  await (await rawCall(format, `${peer.url}/a2a`, 'SendMessage', { message })).text();
  const client = {
    async get(id: string) {
      const response = await rawCall(format, `${peer.url}/a2a`, 'GetTask', { id });
      return ((await response.json()) as { result: Task }).result;
    },
  };

  expect(await waitForState(client, 'task-1', 'completed')).toMatchObject({ artifacts: [{ name: 'response' }] });
});

test('waitForState fails at once if the task has ended in another state', async () => {
  const task = taskThatIs('TASK_STATE_WORKING', 'TASK_STATE_FAILED');

  await expect(waitForState(task, ['completed', 'input-required'])).rejects.toThrow(
    'Expected the task to become completed or input-required, but it ended as failed',
  );
});

test('waitForState fails after its time limit', async () => {
  const clock = fakeClock();
  const task = taskThatIs('TASK_STATE_WORKING');
  const waiting = waitForState(task, 'completed', { timeoutMs: 1000, clock });
  const failure = waiting.catch((error: unknown) => error);

  while (clock.now() < fakeClock().now() + 1000) {
    await expect.poll(() => clock.pending, { interval: 1 }).toBe(1);
    clock.advance(50);
  }

  expect(await failure).toEqual(new Error('Expected the task to become completed within 1000 ms, but it is working'));
  expect(clock.pending).toBe(0);
});

test('waitForState ends when its signal is aborted', async () => {
  const clock = fakeClock();
  const calling = new AbortController();
  const waiting = waitForState(taskThatIs('TASK_STATE_WORKING'), 'completed', { signal: calling.signal, clock });
  await expect.poll(() => clock.pending).toBe(1);

  calling.abort(new Error('enough'));

  await expect(waiting).rejects.toThrow('enough');
  expect(clock.pending).toBe(0);
});

test('waitForState rejects unknown states and objects without a task', async () => {
  await expect(waitForState(taskThatIs('working'), 'done' as 'completed')).rejects.toThrow('got "done"');
  await expect(waitForState({ get: async () => ({ task: undefined }) }, 'completed')).rejects.toThrow(
    'Expected get() to return a task',
  );
});
