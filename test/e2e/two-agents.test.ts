/** Two agents whose tasks lie in one store: neither answers for the tasks of the other. */
import { expect, test } from 'vitest';

import { memoryStore } from '../../src/store/memory/store.ts';
import { startServer, type TestServer } from './kit/server.ts';
import { getTask, sendTask } from './kit/talk.ts';
import { REST_1, RPC_1, VOICES } from './kit/voices.ts';

async function neighbours(): Promise<readonly [TestServer, TestServer]> {
  const store = memoryStore();
  return [await startServer({ store, agent: { id: 'mail' } }), await startServer({ store, agent: { id: 'news' } })];
}

test.each(VOICES)('$name: a task of the other is unknown, and stays as it is', async (voice) => {
  const [mail, news] = await neighbours();
  const said = { text: 'ask', ...(voice.name.startsWith('0.1') && { taskId: 'mine' }) };
  const { id } = await sendTask(mail, voice, said);
  const before = await getTask(mail, voice, id);

  const asks = [voice.get(id), voice.cancel(id), voice.subscribe(id)];
  for (const ask of asks) expect((await news.ask(ask)).text).toMatch(/does not exist|not found/i);
  expect(await getTask(mail, voice, id)).toEqual(before);
});

test.each([RPC_1, REST_1])('$name: a message to a task of the other is refused, and not kept', async (voice) => {
  const [mail, news] = await neighbours();
  const { id } = await sendTask(mail, voice, { text: 'ask' });
  const before = await getTask(mail, voice, id);

  for (const ask of [voice.send({ text: 'Rome', taskId: id }), voice.stream({ text: 'Rome', taskId: id })]) {
    expect(voice.error(await news.ask(ask))).toMatchObject({ reason: 'TASK_NOT_FOUND' });
  }
  expect(await getTask(mail, voice, id)).toEqual(before);
  expect(news.runs()).toBe(0);
  expect((await sendTask(mail, voice, { text: 'Rome', taskId: id })).artifacts).toEqual({ trip: 'Off to Rome' });
});

test('each lists its own', async () => {
  const [mail, news] = await neighbours();
  const ids = [(await sendTask(mail, RPC_1, { text: 'a' })).id, (await sendTask(mail, RPC_1, { text: 'b' })).id];
  const { id } = await sendTask(news, RPC_1, { text: 'c' });

  const list = { method: 'GET', path: '/tasks' };
  expect((await news.ask(list)).json).toMatchObject({ tasks: [{ id }], totalSize: 1 });
  expect((await mail.ask(list)).json).toMatchObject({ totalSize: 2 });
  for (const own of ids) expect((await mail.ask(list)).text).toContain(own);
});
