/** GetTask and CancelTask (1.0 §3.1.3, §3.1.5, §3.3.1). */
import { describe, expect, test } from 'vitest';

import { verifies } from '../helpers/verifies.ts';
import { startServer } from './kit/server.ts';
import { getTask, holdTask, sendTask } from './kit/tasks.ts';
import { WIRE_FORMATS } from './kit/wire-formats.ts';
import { rpc } from './kit/wire-formats/rpc.ts';

describe('GetTask', () => {
  test.each(WIRE_FORMATS)(verifies('G-01', '$name: of an unknown task gets TaskNotFound'), async (format) => {
    const server = await startServer();

    const error = format.error(await server.ask(format.get('no such/task:7')));

    expect(error).toMatchObject({
      reason: 'TASK_NOT_FOUND',
      status: format.binding === 'REST' ? 404 : 200,
      code: format.name === '1.0 REST' ? undefined : -32001,
      message: 'Task no such/task:7 does not exist',
    });
  });

  test.each(WIRE_FORMATS)(verifies('G-05', '$name: can be repeated with the same response'), async (format) => {
    const server = await startServer();
    const { id } = await sendTask(server, format, { text: 'ask' });

    const first = await server.ask(format.get(id));
    const second = await server.ask(format.get(id));

    expect(first.status).toBe(200);
    expect(second.text).toBe(first.text);
  });
});

test.each([
  rpc('1.0', 'ListTasks', {}),
  { method: 'GET', path: '/tasks' },
  { method: 'GET', path: '/.well-known/agent-card.json' },
  { method: 'GET', path: '/.well-known/agent.json' },
])(verifies('G-05', '$method $path $body.method can be repeated with the same response'), async (ask) => {
  const server = await startServer();
  await sendTask(server, WIRE_FORMATS[0] ?? expect.fail(), { text: 'hello' });

  const first = await server.ask(ask);
  const second = await server.ask(ask);

  expect(first.status).toBe(200);
  expect(second.text).toBe(first.text);
  expect(second.headers['etag']).toBe(first.headers['etag']);
});

describe('CancelTask', () => {
  test.each(WIRE_FORMATS)(verifies('G-04', '$name: returns the canceled task'), async (format) => {
    const server = await startServer();
    const { id } = await holdTask(server, format);

    const task = format.task(await server.ask(format.cancel(id)));

    expect(task).toMatchObject({ id, state: 'canceled' });
    expect(await getTask(server, format, id)).toMatchObject({ state: 'canceled', time: task.time });
  });

  test.each(WIRE_FORMATS)(
    verifies('G-04', '$name: of a task that asks a question closes the question'),
    async (format) => {
      const server = await startServer();
      const { id } = await sendTask(server, format, { text: 'ask' });

      const task = format.task(await server.ask(format.cancel(id)));
      const late = format.error(await server.ask(format.send({ text: 'Paris', taskId: id })));

      expect(task.state).toBe('canceled');
      expect(late.reason).toBe('UNSUPPORTED_OPERATION');
    },
  );

  test.each(WIRE_FORMATS)(
    verifies('G-03', '$name: can be repeated and run concurrently, with the same task as the response'),
    async (format) => {
      const server = await startServer();
      const { id } = await holdTask(server, format);

      const [first, second] = await Promise.all([server.ask(format.cancel(id)), server.ask(format.cancel(id))]);
      const third = await server.ask(format.cancel(id));

      expect(format.task(first)).toEqual(format.task(third));
      expect(format.task(second)).toEqual(format.task(third));
    },
  );

  test.each(WIRE_FORMATS)(verifies('G-02', '$name: of an unknown task gets TaskNotFound'), async (format) => {
    const server = await startServer();

    const error = format.error(await server.ask(format.cancel('no-such-task')));

    expect(error).toMatchObject({ reason: 'TASK_NOT_FOUND', status: format.binding === 'REST' ? 404 : 200 });
  });

  test.each(
    WIRE_FORMATS.flatMap((format) =>
      ['hello', 'fail', 'reject no'].map((text) => ({ format, text, name: format.name })),
    ),
  )(verifies('G-02', '$name: of a task that has ended ($text) gets TaskNotCancelable'), async ({ format, text }) => {
    const server = await startServer();
    const { id } = await sendTask(server, format, { text });
    const before = await getTask(server, format, id);

    const error = format.error(await server.ask(format.cancel(id)));

    expect(error).toMatchObject({
      reason: 'TASK_NOT_CANCELABLE',
      status: { '1.0 REST': 400, '0.3 REST': 409 }[format.name] ?? 200,
      code: format.name === '1.0 REST' ? undefined : -32002,
      message: `Task ${id} has already ended`,
    });
    expect(await getTask(server, format, id)).toEqual(before);
  });
});
