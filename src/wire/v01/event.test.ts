import { describe, expect, test } from 'vitest';
import type { StreamResponse } from '../../model/event.ts';
import type { Message } from '../../model/message.ts';
import type { Task } from '../../model/task.ts';
import { decode } from '../dialect.ts';
import { createStreamEncoder, sendMessageResponse, streamResponse, webhook } from './event.ts';

const parts = [{ type: 'text', text: 'yo' }];
const answer: Message = { messageId: 'm1', role: 'ROLE_AGENT', parts: [{ text: 'yo' }] };

function artifactOf(artifactId: string) {
  return { artifactId, parts: [{ text: 'yo' }] };
}

const running: Task = {
  id: 't1',
  contextId: 'c1',
  status: { state: 'TASK_STATE_WORKING' },
  artifacts: [artifactOf('a'), artifactOf('b')],
  history: [answer],
  metadata: { x: 1 },
};

const done: Task = { ...running, status: { state: 'TASK_STATE_COMPLETED' } };

function piece(index: number, id: string, append: boolean, lastChunk: boolean): object {
  return { id: 't1', artifact: { index, parts, append, lastChunk, metadata: { 'a2a:artifactId': id } } };
}

describe('an encoded stream', () => {
  test('begins with the status and the artifacts instead of a task', () => {
    expect(createStreamEncoder().encode({ task: running }, false)).toEqual([
      { id: 't1', status: { state: 'working' }, metadata: { x: 1 }, final: false },
      piece(0, 'a', false, false),
      piece(1, 'b', false, false),
    ]);
  });

  test('ends with the final status when the task is all there is', () => {
    expect(createStreamEncoder().encode({ task: done }, true)).toEqual([
      piece(0, 'a', false, true),
      piece(1, 'b', false, true),
      { id: 't1', status: { state: 'completed' }, metadata: { x: 1 }, final: true },
    ]);
  });

  test('gives an artifact the same number throughout', () => {
    const encoder = createStreamEncoder();
    const chunk = (artifactId: string, flags: object): StreamResponse => ({
      artifactUpdate: { taskId: 't1', contextId: 'c1', artifact: artifactOf(artifactId), ...flags },
    });
    encoder.encode({ task: running }, false);
    expect(encoder.encode(chunk('c', {}), false)).toEqual([piece(2, 'c', false, false)]);
    expect(encoder.encode(chunk('b', { append: true }), false)).toEqual([piece(1, 'b', true, false)]);
    expect(encoder.encode(chunk('c', { append: true, lastChunk: true }), false)).toEqual([piece(2, 'c', true, true)]);
    expect(createStreamEncoder().encode(chunk('c', {}), false)).toEqual([piece(0, 'c', false, false)]);
  });

  test('sets final only on the status that closes it', () => {
    const encoder = createStreamEncoder();
    const status = (state: Task['status']['state']): StreamResponse => ({
      statusUpdate: { taskId: 't1', contextId: 'c1', status: { state }, metadata: { x: 1 } },
    });
    const finals = [
      encoder.encode(status('TASK_STATE_WORKING'), false),
      encoder.encode(status('TASK_STATE_INPUT_REQUIRED'), true),
    ];
    expect(finals).toEqual([
      [{ id: 't1', status: { state: 'working' }, metadata: { x: 1 }, final: false }],
      [{ id: 't1', status: { state: 'input-required' }, metadata: { x: 1 }, final: true }],
    ]);
  });

  test('turns a message without a task into a completed task', () => {
    const message = { ...answer, taskId: 't1', contextId: 'c1' };
    expect(createStreamEncoder().encode({ message }, false)).toEqual([
      { id: 't1', status: { state: 'completed', message: { role: 'agent', parts } }, final: true },
    ]);
  });

  test('carries a state that 0.1 does not have even without a message', () => {
    const statusUpdate = { taskId: 't1', contextId: '', status: { state: 'TASK_STATE_REJECTED' } } as const;
    const [wire] = createStreamEncoder().encode({ statusUpdate }, true);
    expect(wire).toEqual({
      id: 't1',
      status: { state: 'failed' },
      metadata: { 'a2a:state': 'rejected' },
      final: true,
    });
    expect(decode(streamResponse, wire, 'response').value).toEqual({ statusUpdate });
  });
});

describe('a decoded stream', () => {
  test('contains status events', () => {
    const wire = { id: 't1', status: { state: 'working' }, final: false, metadata: { x: 1 } };
    expect(decode(streamResponse, wire, 'response', { strict: true }).value).toEqual({
      statusUpdate: { taskId: 't1', contextId: '', status: { state: 'TASK_STATE_WORKING' }, metadata: { x: 1 } },
    });
  });

  test('accepts events without final', () => {
    const { value } = decode(streamResponse, { id: 't1', status: { state: 'working' } }, 'response', { strict: true });
    expect(value).toHaveProperty('statusUpdate');
  });

  test('contains artifact events with the flags inside the artifact', () => {
    const wire = { id: 't1', artifact: { index: 2, parts, append: true, lastChunk: true }, metadata: { x: 1 } };
    expect(decode(streamResponse, wire, 'response', { strict: true }).value).toEqual({
      artifactUpdate: {
        taskId: 't1',
        contextId: '',
        artifact: { ...artifactOf('artifact-2'), metadata: { 'a2a:index': 2 } },
        append: true,
        lastChunk: true,
        metadata: { x: 1 },
      },
    });
  });

  test('accepts a task with a warning', () => {
    const wire = { id: 't1', sessionId: 's1', status: { state: 'working' } };
    const { value, warnings } = decode(streamResponse, wire, 'response');
    expect(value).toEqual({ task: { id: 't1', contextId: 's1', status: { state: 'TASK_STATE_WORKING' } } });
    expect(warnings).toMatchObject([{ code: 'task-in-stream' }]);
    expect(() => decode(streamResponse, wire, 'response', { strict: true })).toThrow('instead of a task');
  });

  test.each([null, 'x', [], {}, { id: 't1' }, { role: 'agent', parts }])('rejects %j as an item', (json) => {
    expect(() => decode(streamResponse, json, 'response')).toThrow('expected an object with a status or an artifact');
  });
});

describe('a push notification', () => {
  test('is encoded as the task', () => {
    const wire = webhook.encode({ task: done });
    expect(wire).toMatchObject({ id: 't1', sessionId: 'c1', status: { state: 'completed' }, history: [{ parts }] });
    expect(wire).not.toHaveProperty('final');
    expect(decode(webhook, wire, 'request', { newId: () => 'm1' }).value).toEqual({ task: done });
  });

  test('is decoded as a task even if the task is not wrapped', () => {
    const { value } = decode(webhook, { id: 't1', status: { state: 'working' } }, 'request');
    expect(value).toEqual({ task: { id: 't1', status: { state: 'TASK_STATE_WORKING' } } });
  });

  test.each([
    ['an object', { state: 'completed' }],
    ['a string', 'completed'],
  ])('can be the example of the specification with the status as %s', (_, status) => {
    const { value } = decode(webhook, { eventType: 'taskUpdate', taskId: 't1', status, summary: 'Done.' }, 'request');
    expect(value).toEqual({
      statusUpdate: { taskId: 't1', contextId: '', status: { state: 'TASK_STATE_COMPLETED' } },
    });
  });

  test.each<StreamResponse>([
    { statusUpdate: { taskId: 't1', contextId: '', status: { state: 'TASK_STATE_COMPLETED' } } },
    { statusUpdate: { taskId: 't1', contextId: '', status: { state: 'TASK_STATE_WORKING' } } },
    { artifactUpdate: { taskId: 't1', contextId: '', artifact: artifactOf('a'), append: true } },
  ])('can be an event: %j', (event) => {
    const wire = webhook.encode(event);
    expect(wire).toHaveProperty('id', 't1');
    expect(decode(webhook, wire, 'request').value).toEqual(event);
  });
});

describe('the response to a send', () => {
  test('is encoded as a task', () => {
    const wire = sendMessageResponse.encode({ task: running });
    expect(wire).toMatchObject({ id: 't1', sessionId: 'c1', artifacts: [{ index: 0 }, { index: 1 }] });
    expect(decode(sendMessageResponse, wire, 'response', { newId: () => 'm1' }).value).toEqual({ task: running });
  });

  test('is a completed task if the agent sent a message', () => {
    const status = { state: 'completed', message: { role: 'agent', parts } };
    const message = { ...answer, taskId: 't1', contextId: 'c1' };
    expect(sendMessageResponse.encode({ message })).toEqual({ id: 't1', sessionId: 'c1', status });
    expect(sendMessageResponse.encode({ message: answer })).toEqual({ id: 'm1', status });
  });
});

test.each([{ id: 't', artifact: null }, { artifact: null }])('%j is rejected with an A2AError', (json) => {
  for (const codec of [streamResponse, webhook]) {
    expect(() => decode(codec, json, 'response')).toThrow(expect.objectContaining({ code: 'INVALID_AGENT_RESPONSE' }));
  }
});
