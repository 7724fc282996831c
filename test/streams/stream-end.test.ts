/** A subscriber can see why a stream has ended: the task has ended, the server closes, or there was an error. */
import { expect, test } from 'vitest';
import { A2AError } from '../../src/errors.ts';
import type { Store } from '../../src/store/store.ts';
import { withMethods } from '../engine/harness.ts';
import { Gate } from './gate.ts';
import { openStore, startServer, testAgent } from './servers.ts';
import { resume, send, taskIdOf } from './stream-calls.ts';
import { WIRE_FORMATS } from './wire-formats.ts';

test.each(WIRE_FORMATS)(
  'the stream of a task that ends closes after its last event, without a retry delay ($name)',
  async (format) => {
    const { port } = await startServer(testAgent(async () => 'done'));
    const subscriber = send(port, format);

    expect(await subscriber.ended).toBe('complete');
    expect(subscriber.state).toBe('TASK_STATE_COMPLETED');
    expect(subscriber.events.map(({ isFinal }) => isFinal)).toEqual([false, false, false, format.version === '0.3']);
    expect([subscriber.comments, subscriber.retryMs]).toEqual([[], undefined]);
  },
);

test.each(WIRE_FORMATS)(
  'a subscriber that resumes after the last event gets an empty stream without a retry delay ($name)',
  async (format) => {
    const { port } = await startServer(testAgent(async () => 'done'));
    const sender = send(port, format);
    await sender.ended;
    const subscriber = resume(port, format, taskIdOf(sender), sender.last);

    expect(await subscriber.ended).toBe('complete');
    expect([subscriber.status, subscriber.events, subscriber.comments, subscriber.retryMs]).toEqual([
      200,
      [],
      [],
      undefined,
    ]);
  },
);

test.each(WIRE_FORMATS)(
  'a server that closes sends a retry delay, and the next server sends the remaining events ($name)',
  async (format) => {
    const gate = new Gate();
    const store = openStore('SQLite');
    const agent = testAgent(async function* run({ signal }) {
      yield 'first ';
      await gate.pass(signal);
      yield 'second';
    });
    const server = await startServer(agent, { store });
    const subscriber = send(server.port, format);
    await subscriber.until(({ events }) => events.length >= 3);
    await server.close({ finishMs: 0 });

    expect(await subscriber.ended).toBe('complete');
    expect(subscriber.comments).toEqual([expect.stringContaining('Last-Event-ID')]);
    expect([subscriber.retryMs, subscriber.state, subscriber.error]).toEqual([1000, undefined, undefined]);

    gate.open();
    const next = await startServer(agent, { store });
    const rest = resume(next.port, format, taskIdOf(subscriber), subscriber.last);
    expect(await rest.ended).toBe('complete');
    expect(rest.events.map(({ number }) => number)).toEqual([4, 5]);
    expect([rest.state, rest.retryMs]).toEqual(['TASK_STATE_COMPLETED', undefined]);
  },
);

const FAILURES = [
  { what: 'is unavailable', error: new A2AError('UNAVAILABLE', 'The store is locked'), code: 'UNAVAILABLE' },
  { what: 'throws', error: new Error('secret: /var/tasks.db'), code: 'INTERNAL_ERROR' },
] as const;

const FAILING = WIRE_FORMATS.flatMap((format) =>
  FAILURES.map((failure) => ({ ...failure, format, name: format.name })),
);

test.each(FAILING)(
  'a store that $what during a stream ends it with an error in the format of the binding ($name)',
  async ({ format, ...failure }) => {
    const inner = openStore('memory');
    let pages = 0;
    const events: Store['events'] = async (...args) => {
      // The first page succeeds, so that the subscriber has the headers and some events.
      if (++pages > 1) throw failure.error;
      return inner.events(...args);
    };
    const { port } = await startServer(
      testAgent(async function* run() {
        for (let i = 0; i < 300; i++) yield `${i}`;
      }),
      { store: withMethods(inner, { events }), log: { info() {}, warn() {}, error() {} } },
    );
    const sender = send(port, format);
    await sender.ended;
    pages = 0;
    const subscriber = resume(port, format, taskIdOf(sender), 0);

    expect(await subscriber.ended).toBe('complete');
    expect(subscriber.events.length).toBeGreaterThan(0);
    expect(subscriber.events.map(({ number }, i) => [number, i + 1]).filter(([number, i]) => number !== i)).toEqual([]);
    expect(subscriber.error).toMatchObject({ code: failure.code });
    expect(String(subscriber.error)).not.toContain('secret');
    expect([subscriber.comments, subscriber.retryMs]).toEqual([[], undefined]);
  },
);
