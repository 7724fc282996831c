/** Callers of 0.1 name their tasks themselves, and share methods with later versions. */
import { describe, expect, test } from 'vitest';

import type { Log } from '../../src/observe/log.ts';
import type { Ask } from './kit/exchange.ts';
import { startServer, type TestServer } from './kit/server.ts';
import { getTask, holdTask, nextOf, restOf, sendTask } from './kit/talk.ts';
import { RPC_01, RPC_03, RPC_1, SINCE_02, VOICES } from './kit/voices.ts';
import { rpc } from './kit/voices/rpc.ts';

/** The id that we have given a task whose context is known. */
async function realId(server: TestServer, contextId: string): Promise<string> {
  const { json } = await server.ask(rpc('1.0', 'ListTasks', { contextId }));
  return (json as { result: { tasks: { id: string }[] } }).result.tasks[0]?.id ?? '';
}

describe('a method that several versions share, without a version', () => {
  const SHARED = [
    { method: 'tasks/get', text: 'hello' },
    { method: 'tasks/cancel', text: 'ask' },
  ];

  test.each(SHARED)('$method: is answered in 0.1 if that made the task', async ({ method, text }) => {
    const server = await startServer();
    await sendTask(server, RPC_01, { text, taskId: 'mine', contextId: 's1' });

    const { json } = await server.ask(rpc(undefined, method, { id: 'mine' }));

    const { result } = json as { result: object };
    expect(result).toMatchObject({ id: 'mine', sessionId: 's1' });
    expect(result).not.toHaveProperty('kind');
    expect(result).not.toHaveProperty('contextId');
  });

  test.each(SHARED.flatMap((shared) => SINCE_02.map((voice) => ({ ...shared, voice, name: voice.name }))))(
    '$method: is answered in 0.3 if $name made the task',
    async ({ method, text, voice }) => {
      const server = await startServer();
      const { id, contextId } = await sendTask(server, voice, { text });

      const { json } = await server.ask(rpc(undefined, method, { id }));

      expect(json).toMatchObject({ result: { kind: 'task', id, contextId } });
    },
  );

  test('tasks/resubscribe: likewise', async () => {
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

  test('is answered in the version that is asked for, if one is', async () => {
    const server = await startServer();
    const { contextId } = await sendTask(server, RPC_01, { text: 'hello', taskId: 'mine' });
    const id = await realId(server, contextId);

    expect((await server.ask(rpc('0.3', 'tasks/get', { id }))).json).toMatchObject({ result: { kind: 'task', id } });
    expect((await server.ask(rpc('0.1', 'tasks/get', { id }))).json).toMatchObject({
      result: { id, sessionId: contextId },
    });
    expect((await server.ask(rpc('0.3', 'tasks/get', { id: 'mine' }))).json).toMatchObject({ error: { code: -32001 } });
  });

  test('is 0.3 where 0.1 is not served', async () => {
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

describe('a method of 0.1 alone, without a version', () => {
  const message = { role: 'user', parts: [{ type: 'text', text: 'hello' }] };

  test('is 0.1', async () => {
    const server = await startServer();

    const { json } = await server.ask(rpc(undefined, 'tasks/send', { id: 'mine', sessionId: 's1', message }));

    expect(json).toMatchObject({ result: { id: 'mine', sessionId: 's1', status: { state: 'completed' } } });
  });

  test('is 0.3 under another name if its message is of 0.3 and no task is named', async () => {
    const server = await startServer();
    const later = { kind: 'message', messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'hello' }] };

    const { json } = await server.ask(rpc(undefined, 'tasks/send', { message: later }));

    expect(json).toMatchObject({ result: { kind: 'task', status: { state: 'completed' } } });
  });

  test('is logged as a deviation if its message is of 0.3', async () => {
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

describe('the name that a caller of 0.1 gave a task', () => {
  test('is what all answers and events call it', async () => {
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

  test('is what errors call it, and ours is in none of them', async () => {
    const server = await startServer();
    const { contextId } = await sendTask(server, RPC_01, { text: 'hello', taskId: 'mine' });
    const id = await realId(server, contextId);

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

  test('continues the task when it comes again', async () => {
    const server = await startServer();

    const asked = await sendTask(server, RPC_01, { text: 'ask', taskId: 'mine' });
    const answered = await sendTask(server, RPC_01, { text: 'Paris', taskId: 'mine' });

    expect([asked.state, answered.state]).toEqual(['input-required', 'completed']);
    expect(answered).toMatchObject({ id: 'mine', contextId: asked.contextId, artifacts: { trip: 'Off to Paris' } });
  });

  test('means nothing in other versions; our id means the task in all of them', async () => {
    const server = await startServer();
    const { contextId } = await sendTask(server, RPC_01, { text: 'hello', taskId: 'mine' });
    const id = await realId(server, contextId);

    expect(id).not.toBe('mine');
    for (const voice of SINCE_02) {
      expect(voice.error(await server.ask(voice.get('mine'))).reason).toBe('TASK_NOT_FOUND');
    }
    for (const voice of VOICES) {
      expect(await getTask(server, voice, id)).toMatchObject({ id, state: 'completed' });
    }
  });

  test('may be the id of another task of ours, which is not touched', async () => {
    const server = await startServer();
    const { id } = await sendTask(server, RPC_1, { text: 'ask' });

    const named = await sendTask(server, RPC_01, { text: 'hello', taskId: id });

    expect(named).toMatchObject({ id, state: 'completed' });
    expect((await getTask(server, RPC_1, id)).state).toBe('input-required');
  });
});
