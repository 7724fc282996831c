/** Several subscribers of one task: each gets all events in its dialect, and does not affect the others. */
import { expect, test } from 'vitest';
import type { WireFormat } from './wire-formats.ts';
import { dialects } from '../../src/wire/select.ts';
import { Gate } from './gate.ts';
import { logOf, openStore, startServer, STORES, testAgent } from './servers.ts';
import { resume, send, subscribe, taskIdOf } from './stream-calls.ts';
import { REST_1, RPC_03, RPC_1, userMessage, WIRE_FORMATS } from './wire-formats.ts';

const RPC_02: WireFormat = { name: '0.2 over JSON-RPC', version: '0.2', binding: 'JSON-RPC', dialect: dialects.v02 };
const ALL: readonly WireFormat[] = [...WIRE_FORMATS, RPC_02];

test.each(STORES)('subscribers in all dialects get the same events in the same order (%s)', async (kind) => {
  const gate = new Gate();
  const store = openStore(kind);
  const { port, handler } = await startServer(
    testAgent(async function* run({ signal, artifact }) {
      yield { status: 'working', text: 'Thinking…' };
      await gate.pass(signal);
      for (let i = 0; i < 300; i++) await artifact(`part ${i % 2}`).append(`${i} `);
      yield { artifact: 'table', data: { rows: [1, 2, 3] }, lastChunk: true };
    }),
    { store },
  );
  const sender = await send(port, RPC_1).until(({ events }) => events.length >= 2);
  const subscribers = ALL.flatMap((format) => [1, 2].map(() => resume(port, format, taskIdOf(sender), 0)));
  const leaving = resume(port, REST_1, taskIdOf(sender), 0);
  await Promise.all(
    [...subscribers, leaving].map((subscriber) => subscriber.until(({ events }) => events.length >= 2)),
  );
  leaving.disconnect();
  await leaving.ended;
  gate.open();

  expect(await Promise.all([sender, ...subscribers].map(({ ended }) => ended))).toEqual(
    Array.from({ length: subscribers.length + 1 }, () => 'complete'),
  );
  const log = await logOf(store, taskIdOf(sender));
  const expected = log.map(({ number, body }) => ({ number, item: JSON.parse(body) }));
  expect(log.length).toBeGreaterThan(300);
  for (const { events } of [sender, ...subscribers])
    expect(events.map(({ number, item }) => ({ number, item }))).toEqual(expected);
  expect(leaving.events.map(({ number }) => number)).toEqual([1, 2]);
  expect(handler.heartbeats.size).toBe(0);
});

test.each(WIRE_FORMATS)(
  'a second message to a running task gets a stream that starts with the current task ($name)',
  async (format) => {
    const gate = new Gate();
    const { port } = await startServer(
      testAgent(async function* run({ signal, inbox }) {
        yield 'one ';
        await gate.pass(signal);
        for (const { text } of await inbox.take()) yield `received ${text} `;
        yield 'two';
      }),
    );
    const first = await send(port, format).until(({ events }) => events.length >= 3);
    const second = await send(port, format, 'more', userMessage('more', taskIdOf(first))).until(
      ({ events }) => events.length > 0,
    );
    expect(second.events[0]).toMatchObject({ number: 3, item: { task: { id: taskIdOf(first) } } });
    expect(first.events).toHaveLength(3);
    gate.open();

    expect(await Promise.all([first.ended, second.ended])).toEqual(['complete', 'complete']);
    // The first stream continues, unaffected by the second.
    expect(first.events.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(second.events.slice(1).map(({ item }) => item)).toEqual(first.events.slice(3).map(({ item }) => item));
    expect(JSON.stringify(first.events[3])).toContain('received more');
  },
);

test('a subscriber to a running task gets the current task and the events that follow', async () => {
  const gate = new Gate();
  const { port } = await startServer(
    testAgent(async function* run({ signal }) {
      yield 'one ';
      await gate.pass(signal);
      yield 'two';
    }),
  );
  const sender = await send(port, RPC_1).until(({ events }) => events.length >= 3);
  const subscribers = [RPC_1, RPC_03, REST_1].map((format) => subscribe(port, format, taskIdOf(sender)));
  await Promise.all(subscribers.map((subscriber) => subscriber.until(({ events }) => events.length > 0)));
  gate.open();
  await Promise.all(subscribers.map(({ ended }) => ended));

  for (const { events } of subscribers) {
    expect(events.map(({ number }) => number)).toEqual([3, 4, 5]);
    expect(events[0]?.item).toMatchObject({ task: { artifacts: [{ parts: [{ text: 'one ' }] }] } });
  }
});

test('a question ends the stream of its message, and a 1.0 subscription continues to the end of the task', async () => {
  const { port } = await startServer(
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
