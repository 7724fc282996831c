/** `historyLength`: how many messages of its history a task has in a response (1.0 §3.2.4). */
import { describe, expect, test } from 'vitest';

import { verifies } from '../helpers/verifies.ts';
import { startServer, type TestServer } from './kit/server.ts';
import { getTask, nextOf, sendTask } from './kit/tasks.ts';
import {
  FORMATS_1,
  REST_03,
  RPC_01,
  RPC_03,
  FORMATS_SINCE_02,
  WIRE_FORMATS,
  type WireFormat,
} from './kit/wire-formats.ts';
import { rpc } from './kit/wire-formats/rpc.ts';

const ALL = ['user: ask', 'agent: Which city?', 'user: Paris'];

/** A task with three messages. */
async function talk(server: TestServer, format: WireFormat): Promise<string> {
  const { id } = await sendTask(server, format, { text: 'ask' });
  await sendTask(server, format, { text: 'Paris', taskId: id });
  return id;
}

/** In the protocol definition of 0.3, 0 means the same as no value. */
const WITH_ZERO = WIRE_FORMATS.filter((format) => format !== REST_03);

describe('historyLength of GetTask', () => {
  test.each(WIRE_FORMATS)(
    verifies('S-13', '$name: returns this many of the latest messages, in order'),
    async (format) => {
      const server = await startServer();
      const id = await talk(server, format);

      expect((await getTask(server, format, id, 1)).history).toEqual(ALL.slice(-1));
      expect((await getTask(server, format, id, 2)).history).toEqual(ALL.slice(-2));
      expect((await getTask(server, format, id, 3)).history).toEqual(ALL);
      expect((await getTask(server, format, id, 100)).history).toEqual(ALL);
    },
  );

  test.each(WITH_ZERO)(verifies(['S-13', 'S-14'], '$name: 0 omits the history'), async (format) => {
    const server = await startServer();
    const id = await talk(server, format);

    expect((await getTask(server, format, id, 0)).history).toBeUndefined();
  });

  test.each(FORMATS_SINCE_02)('$name: returns the whole history by default', async (format) => {
    const server = await startServer();
    const id = await talk(server, format);

    expect((await getTask(server, format, id)).history).toEqual(ALL);
  });

  test('0.1 JSON-RPC: returns no history by default', async () => {
    const server = await startServer();
    const id = await talk(server, RPC_01);

    expect((await getTask(server, RPC_01, id)).history).toBeUndefined();
  });

  test.each(WIRE_FORMATS)(verifies('S-13', '$name: a negative number is rejected'), async (format) => {
    const server = await startServer();
    const id = await talk(server, format);

    const error = format.error(await server.ask(format.get(id, -1)));

    expect(error).toMatchObject({ reason: 'INVALID_PARAMS', fields: ['historyLength'] });
  });
});

describe('historyLength of SendMessage', () => {
  test.each(WIRE_FORMATS)(verifies('S-13', '$name: returns this many of the latest messages'), async (format) => {
    const server = await startServer();
    const { id } = await sendTask(server, format, { text: 'ask' });

    const { history } = await sendTask(server, format, { text: 'Paris', taskId: id, historyLength: 2 });

    expect(history).toEqual(ALL.slice(-2));
  });

  test.each(WITH_ZERO)(verifies(['S-13', 'S-14'], '$name: 0 omits the history'), async (format) => {
    const server = await startServer();

    const task = await sendTask(server, format, { text: 'hello', historyLength: 0 });

    expect(task.history).toBeUndefined();
    expect(task.artifacts).toEqual({ echo: 'hello' });
  });

  test.each(FORMATS_SINCE_02.filter((format) => format !== REST_03))(
    verifies('S-14', '$name: 0 omits the history with returnImmediately, too'),
    async (format) => {
      const server = await startServer();

      const task = await sendTask(server, format, { text: 'hold on', historyLength: 0, returnImmediately: true });
      server.release();

      expect(task.history).toBeUndefined();
    },
  );
});

describe('historyLength of a stream', () => {
  test.each([...FORMATS_1, RPC_03])(
    verifies('S-13', '$name: the first event is a task with this many messages'),
    async (format) => {
      const server = await startServer();
      const { id } = await sendTask(server, format, { text: 'ask' });

      const stream = await server.open(format.stream({ text: 'Paris', taskId: id, historyLength: 1 }));
      const first = await nextOf(stream, format);
      await stream.rest();

      expect(first).toMatchObject({ kind: 'task', task: { history: ['user: Paris'] } });
    },
  );

  test.each([...FORMATS_1, RPC_03])(
    verifies('S-14', '$name: 0 omits the history in the first event'),
    async (format) => {
      const server = await startServer();

      const stream = await server.open(format.stream({ text: 'hello', historyLength: 0 }));
      const first = await nextOf(stream, format);
      await stream.rest();

      expect(first).toMatchObject({ kind: 'task', task: { history: undefined } });
    },
  );
});

test(verifies('S-13', 'historyLength of ListTasks returns this many messages for each task'), async () => {
  const server = await startServer();
  const [format] = FORMATS_1;
  if (format === undefined) throw new Error('There is no wire format');
  await talk(server, format);

  const historyOf = async (historyLength?: number): Promise<unknown> => {
    const { json } = await server.ask(rpc('1.0', 'ListTasks', { historyLength }));
    return (json as { result: { tasks: { history?: unknown[] }[] } }).result.tasks[0]?.history?.length;
  };

  expect(await historyOf(2)).toBe(2);
  expect(await historyOf(0)).toBeUndefined();
  expect(await historyOf()).toBe(3);
});
