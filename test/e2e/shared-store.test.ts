/** Two agents with one store: neither has access to the tasks of the other. */
import { expect, test } from 'vitest';

import { memoryStore } from '../../src/store/memory/store.ts';
import { startServer, type TestServer } from './kit/server.ts';
import { getTask, sendTask } from './kit/tasks.ts';
import { REST_1, RPC_1, WIRE_FORMATS } from './kit/wire-formats.ts';

async function twoAgents(): Promise<readonly [TestServer, TestServer]> {
  const store = memoryStore();
  return [await startServer({ store, agent: { id: 'mail' } }), await startServer({ store, agent: { id: 'news' } })];
}

test.each(WIRE_FORMATS)('$name: an agent does not find or change a task of the other agent', async (format) => {
  const [mail, news] = await twoAgents();
  const input = { text: 'ask', ...(format.name.startsWith('0.1') && { taskId: 'mine' }) };
  const { id } = await sendTask(mail, format, input);
  const before = await getTask(mail, format, id);

  const asks = [format.get(id), format.cancel(id), format.subscribe(id)];
  for (const ask of asks) expect((await news.ask(ask)).text).toMatch(/does not exist|not found/i);
  expect(await getTask(mail, format, id)).toEqual(before);
});

test.each([RPC_1, REST_1])(
  '$name: a message to a task of the other agent gets TASK_NOT_FOUND and is not stored',
  async (format) => {
    const [mail, news] = await twoAgents();
    const { id } = await sendTask(mail, format, { text: 'ask' });
    const before = await getTask(mail, format, id);

    for (const ask of [format.send({ text: 'Rome', taskId: id }), format.stream({ text: 'Rome', taskId: id })]) {
      expect(format.error(await news.ask(ask))).toMatchObject({ reason: 'TASK_NOT_FOUND' });
    }
    expect(await getTask(mail, format, id)).toEqual(before);
    expect(news.runs()).toBe(0);
    expect((await sendTask(mail, format, { text: 'Rome', taskId: id })).artifacts).toEqual({ trip: 'Off to Rome' });
  },
);

test('ListTasks returns only the tasks of its agent', async () => {
  const [mail, news] = await twoAgents();
  const ids = [(await sendTask(mail, RPC_1, { text: 'a' })).id, (await sendTask(mail, RPC_1, { text: 'b' })).id];
  const { id } = await sendTask(news, RPC_1, { text: 'c' });

  const list = { method: 'GET', path: '/tasks' };
  expect((await news.ask(list)).json).toMatchObject({ tasks: [{ id }], totalSize: 1 });
  expect((await mail.ask(list)).json).toMatchObject({ totalSize: 2 });
  for (const own of ids) expect((await mail.ask(list)).text).toContain(own);
});
