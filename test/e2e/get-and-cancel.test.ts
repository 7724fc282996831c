/** Looking at a task and stopping it (1.0 §3.1.3, §3.1.5, §3.3.1). */
import { describe, expect, test } from 'vitest';

import { verifies } from '../helpers/verifies.ts';
import { startServer } from './kit/server.ts';
import { getTask, holdTask, sendTask } from './kit/talk.ts';
import { VOICES } from './kit/voices.ts';
import { rpc } from './kit/voices/rpc.ts';

describe('get', () => {
  test.each(VOICES)(verifies('G-01', '$name: of an unknown task is TaskNotFound'), async (voice) => {
    const server = await startServer();

    const error = voice.error(await server.ask(voice.get('no such/task:7')));

    expect(error).toMatchObject({
      reason: 'TASK_NOT_FOUND',
      status: voice.binding === 'REST' ? 404 : 200,
      code: voice.name === '1.0 REST' ? undefined : -32001,
      message: 'Task no such/task:7 does not exist',
    });
  });

  test.each(VOICES)(verifies('G-05', '$name: can be repeated, and changes nothing'), async (voice) => {
    const server = await startServer();
    const { id } = await sendTask(server, voice, { text: 'ask' });

    const first = await server.ask(voice.get(id));
    const second = await server.ask(voice.get(id));

    expect(first.status).toBe(200);
    expect(second.text).toBe(first.text);
  });
});

test.each([
  rpc('1.0', 'ListTasks', {}),
  { method: 'GET', path: '/tasks' },
  { method: 'GET', path: '/.well-known/agent-card.json' },
  { method: 'GET', path: '/.well-known/agent.json' },
])(verifies('G-05', '$method $path $body.method can be repeated, and changes nothing'), async (ask) => {
  const server = await startServer();
  await sendTask(server, VOICES[0] ?? expect.fail(), { text: 'hello' });

  const first = await server.ask(ask);
  const second = await server.ask(ask);

  expect(first.status).toBe(200);
  expect(second.text).toBe(first.text);
  expect(second.headers['etag']).toBe(first.headers['etag']);
});

describe('cancel', () => {
  test.each(VOICES)(verifies('G-04', '$name: gives the task as it is then'), async (voice) => {
    const server = await startServer();
    const { id } = await holdTask(server, voice);

    const task = voice.task(await server.ask(voice.cancel(id)));

    expect(task).toMatchObject({ id, state: 'canceled' });
    expect(await getTask(server, voice, id)).toMatchObject({ state: 'canceled', time: task.time });
  });

  test.each(VOICES)(verifies('G-04', '$name: takes a question back'), async (voice) => {
    const server = await startServer();
    const { id } = await sendTask(server, voice, { text: 'ask' });

    const task = voice.task(await server.ask(voice.cancel(id)));
    const late = voice.error(await server.ask(voice.send({ text: 'Paris', taskId: id })));

    expect(task.state).toBe('canceled');
    expect(late.reason).toBe('UNSUPPORTED_OPERATION');
  });

  test.each(VOICES)(verifies('G-03', '$name: can be repeated'), async (voice) => {
    const server = await startServer();
    const { id } = await holdTask(server, voice);

    const [first, second] = await Promise.all([server.ask(voice.cancel(id)), server.ask(voice.cancel(id))]);
    const third = await server.ask(voice.cancel(id));

    expect(voice.task(first)).toEqual(voice.task(third));
    expect(voice.task(second)).toEqual(voice.task(third));
  });

  test.each(VOICES)(verifies('G-02', '$name: of an unknown task is TaskNotFound'), async (voice) => {
    const server = await startServer();

    const error = voice.error(await server.ask(voice.cancel('no-such-task')));

    expect(error).toMatchObject({ reason: 'TASK_NOT_FOUND', status: voice.binding === 'REST' ? 404 : 200 });
  });

  test.each(
    VOICES.flatMap((voice) => ['hello', 'fail', 'reject no'].map((text) => ({ voice, text, name: voice.name }))),
  )(verifies('G-02', '$name: of a task that is over ($text) is TaskNotCancelable'), async ({ voice, text }) => {
    const server = await startServer();
    const { id } = await sendTask(server, voice, { text });
    const before = await getTask(server, voice, id);

    const error = voice.error(await server.ask(voice.cancel(id)));

    expect(error).toMatchObject({
      reason: 'TASK_NOT_CANCELABLE',
      status: { '1.0 REST': 400, '0.3 REST': 409 }[voice.name] ?? 200,
      code: voice.name === '1.0 REST' ? undefined : -32002,
      message: `Task ${id} has already ended`,
    });
    expect(await getTask(server, voice, id)).toEqual(before);
  });
});
