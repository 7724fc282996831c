/** 0.1: methods that it shares with later versions, and task ids that the caller chooses. */
import { describe, expect, test } from 'vitest';

import type { Log } from '../../src/observe/log.ts';
import type { Ask } from './kit/exchange.ts';
import { startServer, type TestServer } from './kit/server.ts';
import { getTask, holdTask, nextOf, restOf, sendTask } from './kit/tasks.ts';
import { RPC_01, RPC_03, RPC_1, FORMATS_SINCE_02, WIRE_FORMATS } from './kit/wire-formats.ts';
import { rpc } from './kit/wire-formats/rpc.ts';

/** The generated id of the task of a context. */
async function generatedId(server: TestServer, contextId: string): Promise<string> {
  const { json } = await server.ask(rpc('1.0', 'ListTasks', { contextId }));
  return (json as { result: { tasks: { id: string }[] } }).result.tasks[0]?.id ?? '';
}

describe('a request without a version, for a method of several versions,', () => {
  const SHARED = [
    { method: 'tasks/get', text: 'hello' },
    { method: 'tasks/cancel', text: 'ask' },
  ];

  test.each(SHARED)('$method: gets a response of 0.1 if 0.1 created the task', async ({ method, text }) => {
    const server = await startServer();
    await sendTask(server, RPC_01, { text, taskId: 'mine', contextId: 's1' });

    const { json } = await server.ask(rpc(undefined, method, { id: 'mine' }));

    const { result } = json as { result: object };
    expect(result).toMatchObject({ id: 'mine', sessionId: 's1' });
    expect(result).not.toHaveProperty('kind');
    expect(result).not.toHaveProperty('contextId');
  });

  test.each(SHARED.flatMap((shared) => FORMATS_SINCE_02.map((format) => ({ ...shared, format, name: format.name }))))(
    '$method: gets a response of 0.3 if $name created the task',
    async ({ method, text, format }) => {
      const server = await startServer();
      const { id, contextId } = await sendTask(server, format, { text });

      const { json } = await server.ask(rpc(undefined, method, { id }));

      expect(json).toMatchObject({ result: { kind: 'task', id, contextId } });
    },
  );

  test('tasks/resubscribe: gets events of 0.1 or 0.3, depending on the version that created the task', async () => {
    const server = await startServer();
    const { id } = await holdTask(server, RPC_01, { taskId: 'mine' });
    const other = await holdTask(server, RPC_03);

    const [old, newer] = await Promise.all(
      [id, other.id].map((each) => server.open(rpc(undefined, 'tasks/resubscribe', { id: each }))),
    );
    const firsts = [await old?.next(), await newer?.next()].map((event) => event?.json);
    server.release();
    server.release();
    await old?.rest();
    await newer?.rest();

    expect(firsts).toMatchObject([
      { result: { id: 'mine', status: { state: 'working' }, final: false } },
      { result: { kind: 'task', id: other.id } },
    ]);
  });

  test('gets a response of the requested version if it has one', async () => {
    const server = await startServer();
    const { contextId } = await sendTask(server, RPC_01, { text: 'hello', taskId: 'mine' });
    const id = await generatedId(server, contextId);

    expect((await server.ask(rpc('0.3', 'tasks/get', { id }))).json).toMatchObject({ result: { kind: 'task', id } });
    expect((await server.ask(rpc('0.1', 'tasks/get', { id }))).json).toMatchObject({
      result: { id, sessionId: contextId },
    });
    expect((await server.ask(rpc('0.3', 'tasks/get', { id: 'mine' }))).json).toMatchObject({ error: { code: -32001 } });
  });

  test('is a request of 0.3 if the server does not support 0.1', async () => {
    const server = await startServer({ versions: ['1.0', '0.3'] });
    const { id } = await sendTask(server, RPC_1, { text: 'hello' });

    expect((await server.ask(rpc(undefined, 'tasks/get', { id }))).json).toMatchObject({
      result: { kind: 'task', id },
    });
    expect((await server.ask(RPC_01.get(id))).json).toMatchObject({
      error: { data: { reason: 'VERSION_NOT_SUPPORTED' } },
    });
  });
});

describe('a request for tasks/send without a version', () => {
  const message = { role: 'user', parts: [{ type: 'text', text: 'hello' }] };

  test('is a request of 0.1', async () => {
    const server = await startServer();

    const { json } = await server.ask(rpc(undefined, 'tasks/send', { id: 'mine', sessionId: 's1', message }));

    expect(json).toMatchObject({ result: { id: 'mine', sessionId: 's1', status: { state: 'completed' } } });
  });

  test('is message/send of 0.3 if its message has the form of 0.3 and it has no task id', async () => {
    const server = await startServer();
    const later = { kind: 'message', messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'hello' }] };

    const { json } = await server.ask(rpc(undefined, 'tasks/send', { message: later }));

    expect(json).toMatchObject({ result: { kind: 'task', status: { state: 'completed' } } });
  });

  test('is logged as a deviation if its message has the form of 0.3', async () => {
    const lines: unknown[] = [];
    const log: Log = { info() {}, warn: (text, fields) => void (fields && lines.push([text, fields])), error() {} };
    const server = await startServer({ log });
    const later = { kind: 'message', messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'hello' }] };

    await server.ask(rpc(undefined, 'tasks/send', { message: later }));

    expect(lines).toEqual([
      [
        'Accepted a request that deviates from the protocol',
        expect.objectContaining({ deviation: 'tasks-send-alias', operation: 'SendMessage', version: '0.3' }),
      ],
    ]);
  });
});

describe('the task id that a caller of 0.1 chose', () => {
  test('is the id in all responses and events', async () => {
    const server = await startServer();
    const { stream } = await holdTask(server, RPC_01, { taskId: 'mine' });
    const second = await server.open(RPC_01.subscribe('mine'));
    const first = await nextOf(second, RPC_01);
    const got = await getTask(server, RPC_01, 'mine');
    const third = await server.open(RPC_01.stream({ text: 'more', taskId: 'mine' }));
    const next = await nextOf(third, RPC_01);
    server.release();
    const rests = await Promise.all([stream, second, third].map((each) => restOf(each, RPC_01)));

    const events = [first, next, ...rests.flat()];
    expect(events.map((event) => 'taskId' in event && event.taskId)).toEqual(events.map(() => 'mine'));
    expect(events.length).toBeGreaterThan(6);
    expect(got.id).toBe('mine');
  });

  test('is the id in all errors, without the generated id', async () => {
    const server = await startServer();
    const { contextId } = await sendTask(server, RPC_01, { text: 'hello', taskId: 'mine' });
    const id = await generatedId(server, contextId);

    const asks: readonly Ask[] = [
      RPC_01.cancel('mine'),
      RPC_01.send({ text: 'more', taskId: 'mine' }),
      RPC_01.stream({ text: 'more', taskId: 'mine' }),
    ];
    for (const ask of asks) {
      const answer = await server.ask(ask);
      expect(RPC_01.error(answer).message).toContain('mine');
      expect(answer.json).toMatchObject({ error: { data: { taskId: 'mine' } } });
      expect(answer.text).not.toContain(id);
    }
  });

  test('continues the task when another message has it', async () => {
    const server = await startServer();

    const asked = await sendTask(server, RPC_01, { text: 'ask', taskId: 'mine' });
    const answered = await sendTask(server, RPC_01, { text: 'Paris', taskId: 'mine' });

    expect([asked.state, answered.state]).toEqual(['input-required', 'completed']);
    expect(answered).toMatchObject({ id: 'mine', contextId: asked.contextId, artifacts: { trip: 'Off to Paris' } });
  });

  test('is unknown in other versions, and the generated id is known in all versions', async () => {
    const server = await startServer();
    const { contextId } = await sendTask(server, RPC_01, { text: 'hello', taskId: 'mine' });
    const id = await generatedId(server, contextId);

    expect(id).not.toBe('mine');
    for (const format of FORMATS_SINCE_02) {
      expect(format.error(await server.ask(format.get('mine'))).reason).toBe('TASK_NOT_FOUND');
    }
    for (const format of WIRE_FORMATS) {
      expect(await getTask(server, format, id)).toMatchObject({ id, state: 'completed' });
    }
  });

  test('may be the generated id of another task, which does not change', async () => {
    const server = await startServer();
    const { id } = await sendTask(server, RPC_1, { text: 'ask' });

    const named = await sendTask(server, RPC_01, { text: 'hello', taskId: id });

    expect(named).toMatchObject({ id, state: 'completed' });
    expect((await getTask(server, RPC_1, id)).state).toBe('input-required');
  });
});
