/** Requests over a limit: too many at once, too large, too deep, of the wrong media type (1.0 §13.4). */
import { describe, expect, test } from 'vitest';

import { agent } from '../../src/agent/agent.ts';
import { deferred } from '../../src/support/deferred.ts';
import { verifies } from '../helpers/verifies.ts';
import { as, knownCallers } from './kit/callers.ts';
import type { Ask } from './kit/exchange.ts';
import { serveOnSocket, startServer } from './kit/server.ts';
import { holdTask, sendTask } from './kit/tasks.ts';
import { FORMATS_1, RPC_1, WIRE_FORMATS } from './kit/wire-formats.ts';

describe('Retry-After', () => {
  test.each(WIRE_FORMATS)(
    verifies('E-10', '$name: a message to an agent without a free slot gets 503 with Retry-After'),
    async (format) => {
      const server = await startServer({ agent: { concurrency: 1, queue: 0 } });
      const { stream } = await holdTask(server, format);

      const full = await server.ask(format.send({ text: 'hello' }));
      server.release();
      await stream.rest();

      expect(full.status).toBe(503);
      expect(full.headers['retry-after']).toMatch(/^[1-9]\d*$/);
      expect(format.error(full).reason).toBe('UNAVAILABLE');
      if (format.version === '1.0') expect(full.text).toContain('type.googleapis.com/google.rpc.RetryInfo');
      expect((await sendTask(server, format, { text: 'hello' })).state).toBe('completed');
    },
  );

  test.each(WIRE_FORMATS)(verifies('E-10', '$name: an error that repeats has no Retry-After'), async (format) => {
    const server = await startServer();

    const { headers, text } = await server.ask(format.get('unknown'));

    expect(headers['retry-after']).toBeUndefined();
    expect(text).not.toContain('retry');
  });
});

describe('limits', () => {
  test.each(WIRE_FORMATS)(
    verifies('E-15', '$name: a body over maxBodyBytes gets PAYLOAD_TOO_LARGE'),
    async (format) => {
      const server = await startServer({ maxBodyBytes: 1000 });

      const large = await server.ask(format.send({ text: 'x'.repeat(1001) }));
      const small = await sendTask(server, format, { text: 'x' });

      expect(large.status).toBe(format.binding === 'REST' ? 413 : 200);
      expect(format.error(large)).toMatchObject({
        reason: 'PAYLOAD_TOO_LARGE',
        message: 'The request body exceeds 1000 bytes',
      });
      if (format.binding === 'JSON-RPC') expect(large.json).toMatchObject({ id: null, error: { code: -32600 } });
      expect(small.state).toBe('completed');
      expect(server.runs()).toBe(1);
    },
  );

  test.each(WIRE_FORMATS)(verifies('E-15', '$name: metadata of 500 levels gets INVALID_PARAMS'), async (format) => {
    const server = await startServer();
    const deep = JSON.parse('{"a":'.repeat(500) + '1' + '}'.repeat(500)) as Record<string, unknown>;

    const answer = await server.ask(format.send({ text: 'hello', metadata: deep }));

    expect(format.error(answer).reason).toBe('INVALID_PARAMS');
    expect(server.runs()).toBe(0);
  });
});

describe('the Content-Type of a request', () => {
  test.each(
    WIRE_FORMATS.flatMap((format) =>
      ['text/plain', 'application/xml', ''].map((type) => ({ format, type, name: format.name })),
    ),
  )(verifies('E-16', '$name: "$type" is rejected'), async ({ format, type }) => {
    const server = await startServer();
    const ask = format.send({ text: 'hello' });

    const answer = await server.ask({ ...ask, headers: { ...ask.headers, 'content-type': type } });

    expect(answer.status).toBe(format.name === '1.0 REST' ? 400 : 415);
    expect(format.error(answer)).toMatchObject({ reason: 'CONTENT_TYPE_NOT_SUPPORTED' });
    expect(format.error(answer).message).toContain('Content-Type: application/');
    expect(server.runs()).toBe(0);
  });

  test.each(['application/json; charset=utf-8', 'application/a2a+json', 'Application/JSON;charset="UTF-8"'])(
    verifies('E-16', '%s is accepted over both bindings'),
    async (type) => {
      const server = await startServer();

      for (const format of FORMATS_1) {
        const ask = format.send({ text: 'hello' });
        const answer = await server.ask({ ...ask, headers: { ...ask.headers, 'content-type': type } });
        expect(format.sent(answer)).toMatchObject({ task: { state: 'completed' } });
      }
    },
  );
});

test('runBytes bounds what running tasks hold in memory', async () => {
  const full = deferred<void>();
  const mayEnd = deferred<void>();
  const chunk = 'x'.repeat(1024);
  const talkative = agent({
    name: 'Talkative',
    description: 'Emits 40 KiB and stays at work, or emits 100 KiB and waits for none of it.',
    async run({ text, artifact }) {
      if (text === 'rude') await Promise.all(Array.from({ length: 100 }, () => artifact('all').append(chunk)));
      if (text !== 'first') return 'done';
      for (let i = 0; i < 40; i++) await artifact('first').append(chunk);
      full.resolve();
      await mayEnd.promise;
      return 'done';
    },
  });
  const auth = knownCallers({ id: 'ann', isVerified: true }, { id: 'bob', isVerified: true });
  const send = (caller: string, text: string): Ask => as(caller, RPC_1.send({ text }));
  const small = await serveOnSocket(talkative, { auth, limits: { runBytes: 32 * 1024 } });
  const usual = await serveOnSocket(talkative, { auth });

  expect((await usual.ask(send('bob', 'rude'))).text).toContain('TASK_STATE_COMPLETED');
  const first = small.ask(send('ann', 'first'));
  await full.promise;
  const failed = await small.ask(send('bob', 'rude'));
  mayEnd.resolve();

  expect(failed.json).toMatchObject({ result: { task: { status: { state: 'TASK_STATE_FAILED' } } } });
  expect(failed.text).toContain('use all the memory allowed for them');
  expect((await first).text).toContain('TASK_STATE_COMPLETED');
});
