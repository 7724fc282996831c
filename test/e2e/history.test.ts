/** `historyLength`: how many messages of its history a task has in a response (1.0 §3.2.4). */
import { describe, expect, test } from 'vitest';

import { verifies } from '../helpers/verifies.ts';
import { startServer, type TestServer } from './kit/server.ts';
import { getTask, nextOf, sendTask } from './kit/talk.ts';
import { NEWEST, REST_03, RPC_01, RPC_03, SINCE_02, VOICES, type Voice } from './kit/voices.ts';
import { rpc } from './kit/voices/rpc.ts';

const ALL = ['user: ask', 'agent: Which city?', 'user: Paris'];

/** A task with three messages. */
async function talk(server: TestServer, voice: Voice): Promise<string> {
  const { id } = await sendTask(server, voice, { text: 'ask' });
  await sendTask(server, voice, { text: 'Paris', taskId: id });
  return id;
}

/** In the protocol definition of 0.3, 0 means the same as no value. */
const WITH_ZERO = VOICES.filter((voice) => voice !== REST_03);

describe('historyLength of GetTask', () => {
  test.each(VOICES)(verifies('S-13', '$name: returns this many of the latest messages, in order'), async (voice) => {
    const server = await startServer();
    const id = await talk(server, voice);

    expect((await getTask(server, voice, id, 1)).history).toEqual(ALL.slice(-1));
    expect((await getTask(server, voice, id, 2)).history).toEqual(ALL.slice(-2));
    expect((await getTask(server, voice, id, 3)).history).toEqual(ALL);
    expect((await getTask(server, voice, id, 100)).history).toEqual(ALL);
  });

  test.each(WITH_ZERO)(verifies(['S-13', 'S-14'], '$name: 0 omits the history'), async (voice) => {
    const server = await startServer();
    const id = await talk(server, voice);

    expect((await getTask(server, voice, id, 0)).history).toBeUndefined();
  });

  test.each(SINCE_02)('$name: returns the whole history by default', async (voice) => {
    const server = await startServer();
    const id = await talk(server, voice);

    expect((await getTask(server, voice, id)).history).toEqual(ALL);
  });

  test('0.1 JSON-RPC: returns no history by default', async () => {
    const server = await startServer();
    const id = await talk(server, RPC_01);

    expect((await getTask(server, RPC_01, id)).history).toBeUndefined();
  });

  test.each(VOICES)(verifies('S-13', '$name: a negative number is rejected'), async (voice) => {
    const server = await startServer();
    const id = await talk(server, voice);

    const error = voice.error(await server.ask(voice.get(id, -1)));

    expect(error).toMatchObject({ reason: 'INVALID_PARAMS', fields: ['historyLength'] });
  });
});

describe('historyLength of SendMessage', () => {
  test.each(VOICES)(verifies('S-13', '$name: returns this many of the latest messages'), async (voice) => {
    const server = await startServer();
    const { id } = await sendTask(server, voice, { text: 'ask' });

    const { history } = await sendTask(server, voice, { text: 'Paris', taskId: id, historyLength: 2 });

    expect(history).toEqual(ALL.slice(-2));
  });

  test.each(WITH_ZERO)(verifies(['S-13', 'S-14'], '$name: 0 omits the history'), async (voice) => {
    const server = await startServer();

    const task = await sendTask(server, voice, { text: 'hello', historyLength: 0 });

    expect(task.history).toBeUndefined();
    expect(task.artifacts).toEqual({ echo: 'hello' });
  });

  test.each(SINCE_02.filter((voice) => voice !== REST_03))(
    verifies('S-14', '$name: 0 omits the history with returnImmediately, too'),
    async (voice) => {
      const server = await startServer();

      const task = await sendTask(server, voice, { text: 'hold on', historyLength: 0, returnImmediately: true });
      server.release();

      expect(task.history).toBeUndefined();
    },
  );
});

describe('historyLength of a stream', () => {
  test.each([...NEWEST, RPC_03])(
    verifies('S-13', '$name: the first event is a task with this many messages'),
    async (voice) => {
      const server = await startServer();
      const { id } = await sendTask(server, voice, { text: 'ask' });

      const stream = await server.open(voice.stream({ text: 'Paris', taskId: id, historyLength: 1 }));
      const first = await nextOf(stream, voice);
      await stream.rest();

      expect(first).toMatchObject({ kind: 'task', task: { history: ['user: Paris'] } });
    },
  );

  test.each([...NEWEST, RPC_03])(verifies('S-14', '$name: 0 omits the history in the first event'), async (voice) => {
    const server = await startServer();

    const stream = await server.open(voice.stream({ text: 'hello', historyLength: 0 }));
    const first = await nextOf(stream, voice);
    await stream.rest();

    expect(first).toMatchObject({ kind: 'task', task: { history: undefined } });
  });
});

test(verifies('S-13', 'historyLength of ListTasks returns this many messages for each task'), async () => {
  const server = await startServer();
  const [voice] = NEWEST;
  if (voice === undefined) throw new Error('There is no wire format');
  await talk(server, voice);

  const historyOf = async (historyLength?: number): Promise<unknown> => {
    const { json } = await server.ask(rpc('1.0', 'ListTasks', { historyLength }));
    return (json as { result: { tasks: { history?: unknown[] }[] } }).result.tasks[0]?.history?.length;
  };

  expect(await historyOf(2)).toBe(2);
  expect(await historyOf(0)).toBeUndefined();
  expect(await historyOf()).toBe(3);
});
