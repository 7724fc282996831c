import { expect, test } from 'vitest';
import type { StreamResponse } from '../../model/event.ts';
import type { Task } from '../../model/task.ts';
import { operationCodec } from '../dialect.ts';
import { profileDialect } from '../select.ts';

const dialect = profileDialect('agent-native');

function encoded(task: Partial<Task>): unknown {
  const whole: Task = { id: 't', contextId: 'c', status: { state: 'TASK_STATE_COMPLETED' }, ...task };
  return operationCodec(dialect, 'GetTask').result.encode(whole);
}

const texts = (...all: string[]) => all.map((text) => ({ text }));

test.each<[string, Partial<Task>, string, unknown]>([
  [
    'the chunks of an artifact',
    { artifacts: [{ artifactId: 'a', parts: texts('One, ', 'two.') }] },
    'completed',
    [{ type: 'text', text: 'One, two.' }],
  ],
  [
    'all artifacts, a line each',
    {
      artifacts: [
        { artifactId: 'a', parts: texts('One') },
        { artifactId: 'b', parts: texts('Two') },
      ],
    },
    'completed',
    [{ type: 'text', text: 'One\nTwo' }],
  ],
  [
    'the text so far of a working task, and not its status message',
    {
      status: {
        state: 'TASK_STATE_WORKING',
        message: { messageId: 'm', role: 'ROLE_AGENT', parts: texts('Thinking') },
      },
      artifacts: [{ artifactId: 'a', parts: texts('One, ', 'two') }],
    },
    'working',
    [{ type: 'text', text: 'One, two' }],
  ],
  [
    'the status message of a working task without text',
    {
      status: {
        state: 'TASK_STATE_WORKING',
        message: { messageId: 'm', role: 'ROLE_AGENT', parts: texts('Thinking') },
      },
      artifacts: [{ artifactId: 'a', parts: [{ data: { bars: 1 } }] }],
    },
    'working',
    [{ type: 'text', text: 'Thinking' }],
  ],
  [
    'the question of a task that has published text',
    {
      status: {
        state: 'TASK_STATE_INPUT_REQUIRED',
        message: { messageId: 'm', role: 'ROLE_AGENT', parts: texts('Which week?') },
      },
      artifacts: [{ artifactId: 'a', parts: texts('One') }],
    },
    'input-required',
    [{ type: 'text', text: 'Which week?' }],
  ],
  [
    'the result before a last remark',
    {
      status: {
        state: 'TASK_STATE_COMPLETED',
        message: { messageId: 'm', role: 'ROLE_AGENT', parts: texts('Done') },
      },
      artifacts: [{ artifactId: 'a', parts: texts('One') }],
    },
    'completed',
    [{ type: 'text', text: 'One' }],
  ],
  [
    'the reason of a rejected task, as failed',
    {
      status: {
        state: 'TASK_STATE_REJECTED',
        message: { messageId: 'm', role: 'ROLE_AGENT', parts: texts('Not ', 'me') },
      },
      artifacts: [{ artifactId: 'a', parts: texts('One') }],
    },
    'failed',
    [{ type: 'text', text: 'Not me' }],
  ],
  ['no parts for a task without text', { status: { state: 'TASK_STATE_AUTH_REQUIRED' } }, 'input-required', undefined],
])('the status for agent-native contains %s', (_, task, state, parts) => {
  const { status } = encoded(task) as {
    readonly status: { readonly state: string; readonly message?: { readonly parts: unknown } };
  };
  expect([status.state, status.message?.parts]).toEqual([state, parts]);
});

test('a text with metadata stays a separate part', () => {
  const parts = [{ text: 'a' }, { text: 'b', metadata: { lang: 'de' } }, { text: 'c' }, { text: 'd' }];
  expect(encoded({ artifacts: [{ artifactId: 'a', parts }] })).toMatchObject({
    artifacts: [{ parts: [{ text: 'a' }, { text: 'b', metadata: { lang: 'de' } }, { text: 'cd' }] }],
  });
});

test('a message without a task becomes a completed task, in a response and in a stream', () => {
  const message = { messageId: 'm', role: 'ROLE_AGENT', parts: texts('Hi'), contextId: 'c' } as const;
  const task = { kind: 'task', id: 'm', contextId: 'c', status: { state: 'completed', message: { role: 'agent' } } };
  expect(operationCodec(dialect, 'SendMessage').result.encode({ message })).toMatchObject(task);
  const item: StreamResponse = { message };
  expect(dialect.createStreamEncoder().encode(item, true)).toMatchObject([task]);
});

test('only the response to a send shows a submitted task as working', () => {
  const task: Task = { id: 't', contextId: 'c', status: { state: 'TASK_STATE_SUBMITTED' } };
  expect(operationCodec(dialect, 'SendMessage').result.encode({ task })).toMatchObject({
    status: { state: 'working' },
  });
  expect(encoded(task)).toMatchObject({ status: { state: 'submitted' } });
});
