/** Ids of tasks, contexts, messages and artifacts (1.0 §3.4). */
import { describe, expect, test } from 'vitest';

import { verifies } from '../helpers/verifies.ts';
import { startServer } from './kit/server.ts';
import { getTask, holdTask, sendTask, streamEvents } from './kit/tasks.ts';
import { FORMATS_1, RPC_01, RPC_1, FORMATS_SINCE_02, WIRE_FORMATS } from './kit/wire-formats.ts';
import { rpc } from './kit/wire-formats/rpc.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe('the contextId', () => {
  test.each(WIRE_FORMATS)(
    verifies('C-01', '$name: is generated and returned if the message has none'),
    async (format) => {
      const server = await startServer();

      const first = await sendTask(server, format, { text: 'hello' });
      const second = await sendTask(server, format, { text: 'hello' });

      expect(first.contextId).toMatch(UUID);
      expect(second.contextId).not.toBe(first.contextId);
      expect((await getTask(server, format, first.id)).contextId).toBe(first.contextId);
    },
  );

  test.each(FORMATS_SINCE_02)(
    verifies(['C-01', 'C-14'], '$name: is in a reply without a task, too'),
    async (format) => {
      const server = await startServer();

      const made = format.sent(await server.ask(format.send({ text: 'reply hi' })));
      const kept = format.sent(await server.ask(format.send({ text: 'reply hi', contextId: 'our talk' })));

      expect(made).toEqual({
        message: expect.objectContaining({
          contextId: expect.stringMatching(UUID),
          messageId: expect.stringMatching(UUID),
        }),
      });
      expect(kept).toEqual({ message: expect.objectContaining({ contextId: 'our talk' }) });
    },
  );

  test.each(WIRE_FORMATS)(
    verifies(['C-02', 'C-03'], '$name: is the one of the message if it has one'),
    async (format) => {
      const server = await startServer();

      const task = await sendTask(server, format, { text: 'hello', contextId: 'Ünser talk/7' });

      expect(task.contextId).toBe('Ünser talk/7');
      expect((await getTask(server, format, task.id)).contextId).toBe('Ünser talk/7');
    },
  );

  test.each(FORMATS_SINCE_02)(
    verifies('C-03', '$name: is rejected if it is a number, and not replaced by a generated one'),
    async (format) => {
      const server = await startServer();
      const ask = format.send({ text: 'hello', contextId: 'x' });
      const body = JSON.parse(JSON.stringify(ask.body).replace('"contextId":"x"', '"contextId":7')) as unknown;

      const error = format.error(await server.ask({ ...ask, body }));

      expect(error).toMatchObject({ reason: 'INVALID_PARAMS', fields: ['message.contextId'] });
      expect(server.runs()).toBe(0);
    },
  );

  test.each(
    FORMATS_SINCE_02.flatMap((format) =>
      ['a\\u0000b', 'a\\ud83d'].map((escaped) => ({ name: format.name, format, escaped })),
    ),
  )(
    verifies('C-03', '$name: is rejected if it contains $escaped, which stores cannot keep'),
    async ({ format, escaped }) => {
      const server = await startServer();
      const ask = format.send({ text: 'hello', contextId: 'x' });
      const body = JSON.parse(
        JSON.stringify(ask.body).replace('"contextId":"x"', `"contextId":"${escaped}"`),
      ) as unknown;

      const error = format.error(await server.ask({ ...ask, body }));

      expect(error).toMatchObject({ reason: 'INVALID_PARAMS', fields: ['message.contextId'] });
      expect(server.runs()).toBe(0);
    },
  );

  test.each(WIRE_FORMATS)(
    verifies('C-06', '$name: groups tasks, and the handler sees the earlier tasks of the context'),
    async (format) => {
      const server = await startServer();
      const { id, contextId } = await sendTask(server, RPC_1, { text: 'hello' });
      await sendTask(server, RPC_1, { text: 'hello', contextId: 'another' });

      const next = await sendTask(server, format, { text: 'about', contextId });

      expect(next.contextId).toBe(contextId);
      expect(next.artifacts?.['about']).toContain(`"earlier":["${id}"]`);
    },
  );

  test(verifies('C-07', 'has no earlier tasks after retention has deleted its last task'), async () => {
    const server = await startServer({ retention: { maxEnded: 1, everyMs: 5 } });
    const { id, contextId } = await sendTask(server, RPC_1, { text: 'hello' });
    await sendTask(server, RPC_1, { text: 'hello' });

    // The next cleanup of the store deletes the task.
    await expect.poll(async () => (await server.ask(RPC_1.get(id))).text).toContain('TASK_NOT_FOUND');
    const next = await sendTask(server, RPC_1, { text: 'about', contextId });

    expect(next.contextId).toBe(contextId);
    expect(next.artifacts?.['about']).toContain('"earlier":[]');
  });
});

describe('the taskId', () => {
  test.each(FORMATS_SINCE_02)(verifies('C-08', '$name: is a UUID that no other task has'), async (format) => {
    const server = await startServer();

    const tasks = await Promise.all(
      [1, 2, 3].map(() => sendTask(server, format, { text: 'hello', messageId: 'same' })),
    );

    const ids = new Set(tasks.map(({ id }) => id));
    expect(ids.size).toBe(3);
    for (const id of ids) expect(id).toMatch(UUID);
  });

  test(verifies('C-08', 'that a caller of 0.1 chose is an alias of a generated id'), async () => {
    const server = await startServer();
    const named = await sendTask(server, RPC_01, { text: 'hello', taskId: 'mine' });

    const { json } = await server.ask(rpc('1.0', 'ListTasks', {}));

    const { tasks } = (json as { result: { tasks: { id: string; contextId: string }[] } }).result;
    expect(named.id).toBe('mine');
    expect(tasks).toEqual([expect.objectContaining({ id: expect.stringMatching(UUID), contextId: named.contextId })]);
  });

  test.each(FORMATS_SINCE_02)(
    verifies('C-11', '$name: is enough to find the context of a follow-up'),
    async (format) => {
      const server = await startServer();
      const { id, contextId } = await sendTask(server, format, { text: 'ask' });

      const task = await sendTask(server, format, { text: 'Paris', taskId: id });

      expect(task).toMatchObject({ id, contextId, state: 'completed' });
    },
  );

  test.each(WIRE_FORMATS)(
    verifies('C-12', '$name: is rejected together with the contextId of another context'),
    async (format) => {
      const server = await startServer();
      const { id } = await sendTask(server, format, { text: 'ask' });
      const wrong = format.send({ text: 'Paris', taskId: id, contextId: 'another' });

      const error = format.error(await server.ask(wrong));

      expect(error).toMatchObject({ reason: 'INVALID_PARAMS', fields: ['message.contextId'] });
      expect((await getTask(server, format, id)).state).toBe('input-required');
    },
  );

  test.each(WIRE_FORMATS)(
    verifies(
      'C-15',
      '$name: of a task that has ended cannot be continued or canceled, and a new message in its context starts a new task',
    ),
    async (format) => {
      const server = await startServer();
      const done = await sendTask(server, format, { text: 'hello' });
      const before = await getTask(server, format, done.id, 9);

      const refused = await server.ask(format.send({ text: 'again', taskId: done.id }));
      const canceled = await server.ask(format.cancel(done.id));
      const next = await sendTask(server, format, { text: 'again', contextId: done.contextId });

      expect(format.error(refused).reason).toBe('UNSUPPORTED_OPERATION');
      expect(format.error(canceled).reason).toBe('TASK_NOT_CANCELABLE');
      expect(await getTask(server, format, done.id, 9)).toEqual(before);
      expect(next.id).not.toBe(done.id);
      expect(next.contextId).toBe(done.contextId);
    },
  );
});

describe('messages and artifacts', () => {
  test.each(FORMATS_1)(
    verifies('C-14', '$name: messages of the agent have the contextId and taskId of their task'),
    async (format) => {
      const server = await startServer();

      const { id, stream } = await holdTask(server, format);
      const { json } = await server.ask(format.get(id));
      server.release();
      await stream.rest();

      const task = ((json as { result?: unknown }).result ?? json) as { contextId: string };
      expect(task).toMatchObject({
        id,
        status: { message: { messageId: expect.stringMatching(UUID), contextId: task.contextId, taskId: id } },
        history: [{ contextId: task.contextId, taskId: id }],
      });
    },
  );

  test.each(WIRE_FORMATS)(verifies('C-16', '$name: each artifact has a unique id in its task'), async (format) => {
    const server = await startServer();
    const { json } = await server.ask(format.send({ text: 'story' }));

    const ids = JSON.stringify(json).match(format.version === '0.1' ? /"index":\d/g : /"artifactId":"\w+"/g);

    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(2);
  });

  test.each(WIRE_FORMATS)(
    verifies('C-17', '$name: a new version of an artifact keeps its name and replaces the old one'),
    async (format) => {
      const server = await startServer();

      const events = await streamEvents(server, format, { text: 'refine' });
      const task = await sendTask(server, format, { text: 'refine' });

      const drafts = events.filter((event) => event.kind === 'artifact');
      expect(drafts).toMatchObject([
        { name: 'draft', text: 'Rough', append: false },
        { name: 'draft', text: 'Fine', append: false },
      ]);
      expect(task.artifacts).toEqual({ draft: 'Fine' });
    },
  );
});
