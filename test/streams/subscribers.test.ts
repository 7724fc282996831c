/** Several readers of one task: each gets all of it in its own words, and none is in the way of another. */
import { expect, test } from 'vitest';
import type { Way } from './ways.ts';
import { dialects } from '../../src/wire/select.ts';
import { Gate } from './gate.ts';
import { logOf, openStore, serving, STORES, testAgent } from './servers.ts';
import { resume, send, subscribe, taskIdOf } from './stream-calls.ts';
import { REST_1, RPC_03, RPC_1, userMessage, WAYS } from './ways.ts';

const RPC_02: Way = { name: '0.2 over JSON-RPC', version: '0.2', binding: 'JSON-RPC', dialect: dialects.v02 };
const ALL: readonly Way[] = [...WAYS, RPC_02];

test.each(STORES)('readers in all dialects get the same events in the same order (%s)', async (kind) => {
  const gate = new Gate();
  const store = openStore(kind);
  const { port, handler } = await serving(
    testAgent(async function* run({ signal, artifact }) {
      yield { status: 'working', text: 'Thinking…' };
      await gate.pass(signal);
      for (let i = 0; i < 300; i++) await artifact(`part ${i % 2}`).append(`${i} `);
      yield { artifact: 'table', data: { rows: [1, 2, 3] }, lastChunk: true };
    }),
    { store },
  );
  const sender = await send(port, RPC_1).until(({ events }) => events.length >= 2);
  const readers = ALL.flatMap((way) => [1, 2].map(() => resume(port, way, taskIdOf(sender), 0)));
  const leaver = resume(port, REST_1, taskIdOf(sender), 0);
  await Promise.all([...readers, leaver].map((reader) => reader.until(({ events }) => events.length >= 2)));
  leaver.leave();
  await leaver.ended;
  gate.open();

  expect(await Promise.all([sender, ...readers].map(({ ended }) => ended))).toEqual(
    Array.from({ length: readers.length + 1 }, () => 'complete'),
  );
  const log = await logOf(store, taskIdOf(sender));
  const expected = log.map(({ number, body }) => ({ number, item: JSON.parse(body) }));
  expect(log.length).toBeGreaterThan(300);
  for (const { events } of [sender, ...readers])
    expect(events.map(({ number, item }) => ({ number, item }))).toEqual(expected);
  expect(leaver.events.map(({ number }) => number)).toEqual([1, 2]);
  expect(handler.heartbeats.size).toBe(0);
});

test.each(WAYS)('a second message to a running task has a stream of its own, from the task on ($name)', async (way) => {
  const gate = new Gate();
  const { port } = await serving(
    testAgent(async function* run({ signal, inbox }) {
      yield 'one ';
      await gate.pass(signal);
      for (const { text } of await inbox.take()) yield `heard ${text} `;
      yield 'two';
    }),
  );
  const first = await send(port, way).until(({ events }) => events.length >= 3);
  const second = await send(port, way, 'more', userMessage('more', taskIdOf(first))).until(
    ({ events }) => events.length > 0,
  );
  expect(second.events[0]).toMatchObject({ number: 3, item: { task: { id: taskIdOf(first) } } });
  expect(first.events).toHaveLength(3);
  gate.open();

  expect(await Promise.all([first.ended, second.ended])).toEqual(['complete', 'complete']);
  // The first goes on where it was, as if there were no second.
  expect(first.events.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6]);
  expect(second.events.slice(1).map(({ item }) => item)).toEqual(first.events.slice(3).map(({ item }) => item));
  expect(JSON.stringify(first.events[3])).toContain('heard more');
});

test('who subscribes in the middle gets the task as it is, and what follows', async () => {
  const gate = new Gate();
  const { port } = await serving(
    testAgent(async function* run({ signal }) {
      yield 'one ';
      await gate.pass(signal);
      yield 'two';
    }),
  );
  const sender = await send(port, RPC_1).until(({ events }) => events.length >= 3);
  const readers = [RPC_1, RPC_03, REST_1].map((way) => subscribe(port, way, taskIdOf(sender)));
  await Promise.all(readers.map((reader) => reader.until(({ events }) => events.length > 0)));
  gate.open();
  await Promise.all(readers.map(({ ended }) => ended));

  for (const { events } of readers) {
    expect(events.map(({ number }) => number)).toEqual([3, 4, 5]);
    expect(events[0]?.item).toMatchObject({ task: { artifacts: [{ parts: [{ text: 'one ' }] }] } });
  }
});

test('a question ends the stream of who sent, and a subscription of 1.0 goes on to the end', async () => {
  const { port } = await serving(
    testAgent(async function* run({ ask }) {
      yield `Off to ${await ask('Where to?')}`;
    }),
  );
  const sender = send(port, RPC_1);
  expect(await sender.ended).toBe('complete');
  expect([sender.state, sender.retryMs]).toEqual(['TASK_STATE_INPUT_REQUIRED', undefined]);

  const old = resume(port, RPC_03, taskIdOf(sender), 0);
  expect(await old.ended).toBe('complete');
  expect(old.state).toBe('TASK_STATE_INPUT_REQUIRED');

  const subscriber = await subscribe(port, RPC_1, taskIdOf(sender)).until(({ events }) => events.length > 0);
  const answer = send(port, REST_1, 'Rome', userMessage('Rome', taskIdOf(sender)));
  expect(await Promise.all([answer.ended, subscriber.ended])).toEqual(['complete', 'complete']);
  expect([answer.state, subscriber.state]).toEqual(['TASK_STATE_COMPLETED', 'TASK_STATE_COMPLETED']);
});
