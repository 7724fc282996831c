/** A reader can tell why a stream has ended: the task is over, the server goes away, or something failed. */
import { expect, test } from 'vitest';
import { A2AError } from '../../src/errors.ts';
import type { Store } from '../../src/store/store.ts';
import { withMethods } from '../engine/harness.ts';
import { Gate } from './gate.ts';
import { openStore, serving, testAgent } from './servers.ts';
import { resume, send, taskIdOf } from './stream-calls.ts';
import { WAYS } from './ways.ts';

test.each(WAYS)('the end of the task is its last event, and nothing is to follow ($name)', async (way) => {
  const { port } = await serving(testAgent(async () => 'done'));
  const reader = send(port, way);

  expect(await reader.ended).toBe('complete');
  expect(reader.state).toBe('TASK_STATE_COMPLETED');
  expect(reader.events.map(({ isFinal }) => isFinal)).toEqual([false, false, false, way.version === '0.3']);
  expect([reader.comments, reader.retryMs]).toEqual([[], undefined]);
});

test.each(WAYS)('who comes back with the last number is not sent away to come again ($name)', async (way) => {
  const { port } = await serving(testAgent(async () => 'done'));
  const sender = send(port, way);
  await sender.ended;
  const reader = resume(port, way, taskIdOf(sender), sender.last);

  expect(await reader.ended).toBe('complete');
  expect([reader.status, reader.events, reader.comments, reader.retryMs]).toEqual([200, [], [], undefined]);
});

test.each(WAYS)('a server that goes away says so, and another one has the rest ($name)', async (way) => {
  const gate = new Gate();
  const store = openStore('SQLite');
  const agent = testAgent(async function* run({ signal }) {
    yield 'first ';
    await gate.pass(signal);
    yield 'second';
  });
  const server = await serving(agent, { store });
  const reader = send(server.port, way);
  await reader.until(({ events }) => events.length >= 3);
  await server.close({ finishMs: 0 });

  expect(await reader.ended).toBe('complete');
  expect(reader.comments).toEqual([expect.stringContaining('Last-Event-ID')]);
  expect([reader.retryMs, reader.state, reader.error]).toEqual([1000, undefined, undefined]);

  gate.open();
  const next = await serving(agent, { store });
  const rest = resume(next.port, way, taskIdOf(reader), reader.last);
  expect(await rest.ended).toBe('complete');
  expect(rest.events.map(({ number }) => number)).toEqual([4, 5]);
  expect([rest.state, rest.retryMs]).toEqual(['TASK_STATE_COMPLETED', undefined]);
});

const FAILURES = [
  { what: 'is out of reach', error: new A2AError('UNAVAILABLE', 'The store is locked'), code: 'UNAVAILABLE' },
  { what: 'breaks', error: new Error('secret: /var/tasks.db'), code: 'INTERNAL_ERROR' },
] as const;

const FAILING = WAYS.flatMap((way) => FAILURES.map((failure) => ({ ...failure, way, name: way.name })));

test.each(FAILING)(
  'a store that $what in mid-stream is an error of the binding ($name)',
  async ({ way, ...failure }) => {
    const inner = openStore('memory');
    let pages = 0;
    const events: Store['events'] = async (...args) => {
      // The first page is good: the reader has got something, and its headers long since.
      if (++pages > 1) throw failure.error;
      return inner.events(...args);
    };
    const { port } = await serving(
      testAgent(async function* run() {
        for (let i = 0; i < 300; i++) yield `${i}`;
      }),
      { store: withMethods(inner, { events }), log: { info() {}, warn() {}, error() {} } },
    );
    const sender = send(port, way);
    await sender.ended;
    pages = 0;
    const reader = resume(port, way, taskIdOf(sender), 0);

    expect(await reader.ended).toBe('complete');
    expect(reader.events.length).toBeGreaterThan(0);
    expect(reader.events.map(({ number }, i) => [number, i + 1]).filter(([number, i]) => number !== i)).toEqual([]);
    expect(reader.error).toMatchObject({ code: failure.code });
    expect(String(reader.error)).not.toContain('secret');
    expect([reader.comments, reader.retryMs]).toEqual([[], undefined]);
  },
);
