/** Tasks, contexts, messages and artifacts, and who names them (1.0 §3.4). */
import { describe, expect, test } from 'vitest';

import { verifies } from '../helpers/verifies.ts';
import { startServer } from './kit/server.ts';
import { getTask, holdTask, sendTask, streamEvents } from './kit/talk.ts';
import { NEWEST, RPC_01, RPC_1, SINCE_02, VOICES } from './kit/voices.ts';
import { rpc } from './kit/voices/rpc.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe('the context', () => {
  test.each(VOICES)(verifies('C-01', '$name: is made where none came, and told'), async (voice) => {
    const server = await startServer();

    const first = await sendTask(server, voice, { text: 'hello' });
    const second = await sendTask(server, voice, { text: 'hello' });

    expect(first.contextId).toMatch(UUID);
    expect(second.contextId).not.toBe(first.contextId);
    expect((await getTask(server, voice, first.id)).contextId).toBe(first.contextId);
  });

  test.each(SINCE_02)(verifies(['C-01', 'C-14'], '$name: is told with a message too'), async (voice) => {
    const server = await startServer();

    const made = voice.sent(await server.ask(voice.send({ text: 'reply hi' })));
    const kept = voice.sent(await server.ask(voice.send({ text: 'reply hi', contextId: 'our talk' })));

    expect(made).toEqual({
      message: expect.objectContaining({
        contextId: expect.stringMatching(UUID),
        messageId: expect.stringMatching(UUID),
      }),
    });
    expect(kept).toEqual({ message: expect.objectContaining({ contextId: 'our talk' }) });
  });

  test.each(VOICES)(verifies(['C-02', 'C-03'], "$name: is the caller's, if it names one"), async (voice) => {
    const server = await startServer();

    const task = await sendTask(server, voice, { text: 'hello', contextId: 'Ünser talk/7' });

    expect(task.contextId).toBe('Ünser talk/7');
    expect((await getTask(server, voice, task.id)).contextId).toBe('Ünser talk/7');
  });

  test.each(SINCE_02)(
    verifies('C-03', '$name: is refused if it cannot be one, and no other takes its place'),
    async (voice) => {
      const server = await startServer();
      const ask = voice.send({ text: 'hello', contextId: 'x' });
      const body = JSON.parse(JSON.stringify(ask.body).replace('"contextId":"x"', '"contextId":7')) as unknown;

      const error = voice.error(await server.ask({ ...ask, body }));

      expect(error).toMatchObject({ reason: 'INVALID_PARAMS', fields: ['message.contextId'] });
      expect(server.runs()).toBe(0);
    },
  );

  test.each(
    SINCE_02.flatMap((voice) => ['a\\u0000b', 'a\\ud83d'].map((escaped) => ({ name: voice.name, voice, escaped }))),
  )(verifies('C-03', '$name: $escaped, which no store can keep, is refused'), async ({ voice, escaped }) => {
    const server = await startServer();
    const ask = voice.send({ text: 'hello', contextId: 'x' });
    const body = JSON.parse(JSON.stringify(ask.body).replace('"contextId":"x"', `"contextId":"${escaped}"`)) as unknown;

    const error = voice.error(await server.ask({ ...ask, body }));

    expect(error).toMatchObject({ reason: 'INVALID_PARAMS', fields: ['message.contextId'] });
    expect(server.runs()).toBe(0);
  });

  test.each(VOICES)(verifies('C-06', '$name: is one conversation, whose tasks know of each other'), async (voice) => {
    const server = await startServer();
    const { id, contextId } = await sendTask(server, RPC_1, { text: 'hello' });
    await sendTask(server, RPC_1, { text: 'hello', contextId: 'another' });

    const next = await sendTask(server, voice, { text: 'about', contextId });

    expect(next.contextId).toBe(contextId);
    expect(next.artifacts?.['about']).toContain(`"earlier":["${id}"]`);
  });

  test(verifies('C-07', 'is forgotten with its last task, when that goes by the rules of retention'), async () => {
    const server = await startServer({ retention: { maxEnded: 1, everyMs: 5 } });
    const { id, contextId } = await sendTask(server, RPC_1, { text: 'hello' });
    await sendTask(server, RPC_1, { text: 'hello' });

    // It goes when the store is looked after next.
    await expect.poll(async () => (await server.ask(RPC_1.get(id))).text).toContain('TASK_NOT_FOUND');
    const next = await sendTask(server, RPC_1, { text: 'about', contextId });

    expect(next.contextId).toBe(contextId);
    expect(next.artifacts?.['about']).toContain('"earlier":[]');
  });
});

describe('the task', () => {
  test.each(SINCE_02)(verifies('C-08', '$name: gets an id that no other task has'), async (voice) => {
    const server = await startServer();

    const tasks = await Promise.all([1, 2, 3].map(() => sendTask(server, voice, { text: 'hello', messageId: 'same' })));

    const ids = new Set(tasks.map(({ id }) => id));
    expect(ids.size).toBe(3);
    for (const id of ids) expect(id).toMatch(UUID);
  });

  test(verifies('C-08', 'of a 0.1 caller has one as well, of which his own name is an alias'), async () => {
    const server = await startServer();
    const named = await sendTask(server, RPC_01, { text: 'hello', taskId: 'mine' });

    const { json } = await server.ask(rpc('1.0', 'ListTasks', {}));

    const { tasks } = (json as { result: { tasks: { id: string; contextId: string }[] } }).result;
    expect(named.id).toBe('mine');
    expect(tasks).toEqual([expect.objectContaining({ id: expect.stringMatching(UUID), contextId: named.contextId })]);
  });

  test.each(SINCE_02)(verifies('C-11', '$name: brings its context, if only the task is named'), async (voice) => {
    const server = await startServer();
    const { id, contextId } = await sendTask(server, voice, { text: 'ask' });

    const task = await sendTask(server, voice, { text: 'Paris', taskId: id });

    expect(task).toMatchObject({ id, contextId, state: 'completed' });
  });

  test.each(VOICES)(
    verifies('C-12', '$name: is refused together with a context that is not its own'),
    async (voice) => {
      const server = await startServer();
      const { id } = await sendTask(server, voice, { text: 'ask' });
      const wrong = voice.send({ text: 'Paris', taskId: id, contextId: 'another' });

      const error = voice.error(await server.ask(wrong));

      expect(error).toMatchObject({ reason: 'INVALID_PARAMS', fields: ['message.contextId'] });
      expect((await getTask(server, voice, id)).state).toBe('input-required');
    },
  );

  test.each(VOICES)(verifies('C-15', '$name: stays as it is when it is over; more is a new one'), async (voice) => {
    const server = await startServer();
    const done = await sendTask(server, voice, { text: 'hello' });
    const before = await getTask(server, voice, done.id, 9);

    const refused = await server.ask(voice.send({ text: 'again', taskId: done.id }));
    const canceled = await server.ask(voice.cancel(done.id));
    const next = await sendTask(server, voice, { text: 'again', contextId: done.contextId });

    expect(voice.error(refused).reason).toBe('UNSUPPORTED_OPERATION');
    expect(voice.error(canceled).reason).toBe('TASK_NOT_CANCELABLE');
    expect(await getTask(server, voice, done.id, 9)).toEqual(before);
    expect(next.id).not.toBe(done.id);
    expect(next.contextId).toBe(done.contextId);
  });
});

describe('messages and artifacts', () => {
  test.each(NEWEST)(verifies('C-14', '$name: what the agent says has its context and task'), async (voice) => {
    const server = await startServer();

    const { id, stream } = await holdTask(server, voice);
    const { json } = await server.ask(voice.get(id));
    server.release();
    await stream.rest();

    const task = ((json as { result?: unknown }).result ?? json) as { contextId: string };
    expect(task).toMatchObject({
      id,
      status: { message: { messageId: expect.stringMatching(UUID), contextId: task.contextId, taskId: id } },
      history: [{ contextId: task.contextId, taskId: id }],
    });
  });

  test.each(VOICES)(verifies('C-16', '$name: each artifact has an id of its own in its task'), async (voice) => {
    const server = await startServer();
    const { json } = await server.ask(voice.send({ text: 'story' }));

    const ids = JSON.stringify(json).match(voice.version === '0.1' ? /"index":\d/g : /"artifactId":"\w+"/g);

    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(2);
  });

  test.each(VOICES)(verifies('C-17', '$name: a better version of an artifact keeps its name'), async (voice) => {
    const server = await startServer();

    const events = await streamEvents(server, voice, { text: 'refine' });
    const task = await sendTask(server, voice, { text: 'refine' });

    const drafts = events.filter((event) => event.kind === 'artifact');
    expect(drafts).toMatchObject([
      { name: 'draft', text: 'Rough', append: false },
      { name: 'draft', text: 'Fine', append: false },
    ]);
    expect(task.artifacts).toEqual({ draft: 'Fine' });
  });
});
