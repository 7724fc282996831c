/** Limits on the size of messages and on the number of streams, connections and other things (1.0 §13.4), tested at and above the limit. */
import { connect as openSocket } from 'node:net';

import { describe, expect, onTestFinished, test } from 'vitest';

import { DEFAULT_LIMITS, type Limits } from '../../src/host/limits/limit-settings.ts';
import { verifies } from '../helpers/verifies.ts';
import type { Ask } from './kit/exchange.ts';
import { startServer } from './kit/server.ts';
import { getTask, holdTask, sendTask } from './kit/tasks.ts';
import {
  FORMATS_1,
  REST_03,
  REST_1,
  RPC_01,
  RPC_1,
  FORMATS_SINCE_02,
  type WireFormat,
  WIRE_FORMATS,
} from './kit/wire-formats.ts';
import { rpc } from './kit/wire-formats/rpc.ts';

/** A part with a file of this size, in a wire format. */
function file(format: WireFormat, bytes: number): Readonly<Record<string, unknown>> {
  const base64 = Buffer.alloc(bytes, 7).toString('base64');
  if (format.version === '1.0') return { raw: base64, mediaType: 'text/plain' };
  if (format === REST_03) return { file: { fileWithBytes: base64, mimeType: 'text/plain' } };
  return { [format === RPC_01 ? 'type' : 'kind']: 'file', file: { bytes: base64, mimeType: 'text/plain' } };
}

function text(format: WireFormat, content: string): Readonly<Record<string, unknown>> {
  if (format.version === '1.0' || format === REST_03) return { text: content };
  return { [format === RPC_01 ? 'type' : 'kind']: 'text', text: content };
}

/** Metadata of about this length as JSON. */
function metadata(bytes: number): Readonly<Record<string, string>> {
  return { note: 'x'.repeat(bytes - 12) };
}

function nested(levels: number): Readonly<Record<string, unknown>> {
  return JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`) as Readonly<Record<string, unknown>>;
}

interface SizeCase {
  readonly name: string;
  readonly limits: Partial<Limits>;
  /** A message with this amount of the limited thing. */
  request(format: WireFormat, amount: number): Ask;
  /** The largest accepted amount. */
  readonly limit: number;
  readonly reason: 'INVALID_PARAMS' | 'PAYLOAD_TOO_LARGE';
  readonly field: RegExp;
}

const SIZES: readonly SizeCase[] = [
  {
    name: 'parts of a message',
    limits: { partsPerMessage: 3 },
    request: (format, amount) => format.send({ parts: Array.from({ length: amount }, (_, i) => text(format, `${i}`)) }),
    limit: 3,
    reason: 'INVALID_PARAMS',
    field: /^message\.parts$/,
  },
  {
    name: 'characters of a text',
    limits: { textCharacters: 100 },
    request: (format, amount) => format.send({ parts: [text(format, 'short'), text(format, 'ä'.repeat(amount))] }),
    limit: 100,
    reason: 'PAYLOAD_TOO_LARGE',
    field: /^message\.parts\[1\]\.text$/,
  },
  {
    name: 'bytes of a file',
    limits: { fileBytes: 100 },
    request: (format, amount) => format.send({ parts: [file(format, amount)] }),
    limit: 100,
    reason: 'PAYLOAD_TOO_LARGE',
    field: /^message\.parts\[0\]\.raw$/,
  },
  {
    name: 'metadata of a message',
    limits: { metadataBytes: 100 },
    request: (format, amount) => format.send({ text: 'hello', metadata: metadata(amount) }),
    limit: 100,
    reason: 'PAYLOAD_TOO_LARGE',
    field: /^(?:message\.)?metadata$/,
  },
  {
    name: 'metadata of a part',
    limits: { metadataBytes: 100 },
    request: (format, amount) => format.send({ parts: [{ ...text(format, 'hello'), metadata: metadata(amount) }] }),
    limit: 100,
    reason: 'PAYLOAD_TOO_LARGE',
    field: /^message\.parts\[0\]\.metadata$/,
  },
  {
    name: 'items of a list',
    limits: { items: 5 },
    request: (format, amount) =>
      format.send({ text: 'hello', metadata: { list: Array.from({ length: amount }, () => 0) } }),
    limit: 5,
    reason: 'INVALID_PARAMS',
    field: /metadata\.list$/,
  },
];

describe.each(SIZES)('$name', ({ limits, request, limit, reason, field }) => {
  test.each(WIRE_FORMATS)(
    verifies('E-15', '$name: the amount at the limit is accepted, and one more is rejected'),
    async (format) => {
      const server = await startServer({ limits });

      expect(format.sent(await server.ask(request(format, limit)))).toMatchObject({ task: { state: 'completed' } });
      const answer = await server.ask(request(format, limit + 1));

      expect(format.error(answer).reason).toBe(reason);
      expect(format.error(answer).message).toMatch(/: expected at most \d+ /);
      expect(format.error(answer).fields).toEqual([expect.stringMatching(field)]);
      if (format.binding === 'REST') expect(answer.status).toBe(reason === 'PAYLOAD_TOO_LARGE' ? 413 : 400);
      expect(server.runs()).toBe(1);
    },
  );
});

describe('the nesting of JSON', () => {
  test.each(WIRE_FORMATS)(
    verifies('E-15', '$name: below limits.depth is accepted, and above it is rejected'),
    async (format) => {
      const server = await startServer({ limits: { depth: 10 } });

      const taken = await server.ask(format.send({ text: 'hello', metadata: nested(6) }));
      const rejected = await server.ask(format.send({ text: 'hello', metadata: nested(11) }));

      expect(format.sent(taken)).toMatchObject({ task: { state: 'completed' } });
      expect(format.error(rejected).reason).toBe('INVALID_PARAMS');
      expect(server.runs()).toBe(1);
    },
  );

  test('in an unknown member of a small body is not limited', async () => {
    const server = await startServer();
    const ask = RPC_1.send({ text: 'hello' });
    const body = JSON.stringify(ask.body).replace('{', `{"x":${'['.repeat(1000)}${']'.repeat(1000)},`);

    expect(
      RPC_1.sent(await server.ask({ ...ask, headers: { ...ask.headers, 'content-type': 'application/json' }, body })),
    ).toMatchObject({ task: { state: 'completed' } });
  });
});

describe('the default limit', () => {
  test.each([
    ['parts', REST_1.send({ parts: Array.from({ length: DEFAULT_LIMITS.partsPerMessage + 1 }, () => ({ text: '' })) })],
    ['text', REST_1.send({ text: 'x'.repeat(DEFAULT_LIMITS.textCharacters + 1) })],
    ['file', REST_1.send({ parts: [file(REST_1, DEFAULT_LIMITS.fileBytes + 1)] })],
    ['metadata', REST_1.send({ text: 'hello', metadata: metadata(DEFAULT_LIMITS.metadataBytes + 1) })],
    ['depth', REST_1.send({ text: 'hello', metadata: nested(DEFAULT_LIMITS.depth) })],
    [
      'items',
      REST_1.send({ text: 'hello', metadata: { list: Array.from({ length: DEFAULT_LIMITS.items + 1 }, () => 0) } }),
    ],
  ])(verifies('E-15', 'for %s rejects a message above it'), async (_, ask) => {
    const server = await startServer();

    const answer = await server.ask(ask);

    expect([400, 413]).toContain(answer.status);
    expect(server.runs()).toBe(0);
  });
});

describe('messages of a task', () => {
  test.each(FORMATS_SINCE_02)('$name: a message over messagesPerTask is rejected and not stored', async (format) => {
    const server = await startServer({ limits: { messagesPerTask: 4 } });
    const { id } = await holdTask(server, format);
    const request = (content: string): Ask => format.send({ text: content, taskId: id, returnImmediately: true });

    for (const content of ['two', 'three', 'four']) format.sent(await server.ask(request(content)));
    const rejected = await server.ask(request('five'));

    expect(format.error(rejected)).toMatchObject({
      reason: 'UNSUPPORTED_OPERATION',
      message: `Task ${id} has reached its limit of 4 messages. Start a new task in the same context.`,
    });
    expect((await getTask(server, format, id)).history).toEqual([
      'user: hold on',
      'user: two',
      'user: three',
      'user: four',
    ]);
  });

  test('the answer to a question counts against messagesPerTask', async () => {
    const server = await startServer({ limits: { messagesPerTask: 1 } });
    const { id, state } = await sendTask(server, RPC_1, { text: 'ask' });

    const answer = await server.ask(RPC_1.send({ text: 'Oslo', taskId: id }));

    expect(state).toBe('input-required');
    expect(RPC_1.error(answer).reason).toBe('UNSUPPORTED_OPERATION');
    expect((await getTask(server, RPC_1, id)).state).toBe('input-required');
  });

  test('a repeated message counts against messagesPerTask once', async () => {
    const server = await startServer({ limits: { messagesPerTask: 2 } });
    const { id } = await holdTask(server, RPC_1);
    const ask = RPC_1.send({ text: 'two', taskId: id, returnImmediately: true });
    const keyed = { ...ask, headers: { ...ask.headers, 'idempotency-key': 'k' } };

    for (let i = 0; i < 3; i++) expect(RPC_1.sent(await server.ask(keyed))).toMatchObject({ task: { id } });
  });
});

describe('streams', () => {
  test.each(WIRE_FORMATS)('$name: a stream over streamsPerCaller gets 429 until another one ends', async (format) => {
    const server = await startServer({ limits: { streamsPerCaller: 2 } });
    const { id, stream } = await holdTask(server, format);
    const second = await server.open(format.subscribe(id));
    await second.next();

    for (const ask of [format.subscribe(id), format.stream({ text: 'hello' })]) {
      const rejected = await server.ask(ask);
      expect(rejected.status).toBe(429);
      expect(rejected.headers['retry-after']).toBe('5');
      expect(format.error(rejected)).toMatchObject({
        reason: 'RATE_LIMIT_EXCEEDED',
        message: 'Too many open streams: the limit is 2 per caller',
      });
    }
    expect(server.runs()).toBe(1);

    server.release();
    await Promise.all([stream.rest(), second.rest()]);
    const again = await server.ask(format.stream({ text: 'hello' }));
    expect(again.headers['content-type']).toBe('text/event-stream');
    // A stream that could not be opened does not count.
    for (let i = 0; i < 3; i++) expect((await server.ask(format.subscribe('unknown'))).status).not.toBe(429);
  });

  test('a stream whose client disconnects no longer counts', async () => {
    const server = await startServer({ limits: { streamsPerCaller: 1 } });
    const { id, stream } = await holdTask(server, RPC_1);
    stream.leave();

    await expect
      .poll(async () => {
        const next = await server.open(RPC_1.subscribe(id));
        next.leave();
        return next.status;
      })
      .toBe(200);
  });

  test.each(WIRE_FORMATS)(
    '$name: a subscription over subscribersPerTask gets 429, and other tasks are not affected',
    async (format) => {
      const server = await startServer({ limits: { subscribersPerTask: 1 } });
      const { id } = await holdTask(server, format);
      const first = await server.open(format.subscribe(id));
      await first.next();

      const rejected = await server.ask(format.subscribe(id));
      const { id: other } = await holdTask(server, format);
      const elsewhere = await server.open(format.subscribe(other));

      expect(rejected.status).toBe(429);
      expect(format.error(rejected).message).toBe('Too many subscribers: the limit is 1 per task');
      expect(elsewhere.status).toBe(200);
    },
  );

  test('the default limit is 100 streams per remote address, and none for direct connections on this machine', async () => {
    const server = await startServer({ trustProxy: true, limits: { rate: false } });
    const { id } = await holdTask(server, RPC_1);
    const open = async (address?: string): Promise<number> => {
      const ask = REST_1.subscribe(id);
      const from = address === undefined ? undefined : { 'x-forwarded-for': address };
      return (await server.open({ ...ask, headers: { ...ask.headers, ...from } })).status;
    };

    const statuses: number[] = [];
    for (let i = 0; i < 101; i++) statuses.push(await open('192.0.2.1'));

    expect(statuses.indexOf(429)).toBe(100);
    expect(await open('192.0.2.2')).toBe(200);
    for (let i = 0; i < 101; i++) expect(await open()).toBe(200);
  });
});

describe('other limits', () => {
  test.each(FORMATS_1)('$name: a push configuration over pushConfigsPerTask is rejected', async (format) => {
    const server = await startServer({ pushNotifications: true, limits: { pushConfigsPerTask: 2 } });
    const { id } = await sendTask(server, format, { text: 'hello' });
    const config = { taskId: id, url: 'https://example.com/hook' };
    const create: Ask =
      format.binding === 'REST'
        ? { method: 'POST', path: `/tasks/${id}/pushNotificationConfigs`, body: config }
        : rpc('1.0', 'CreateTaskPushNotificationConfig', config);

    const answers = [await server.ask(create), await server.ask(create), await server.ask(create)];

    expect(answers.map(({ text: body }) => body.includes('error'))).toEqual([false, false, true]);
    expect(format.error(answers[2] ?? expect.fail())).toMatchObject({
      reason: 'UNSUPPORTED_OPERATION',
      message: expect.stringContaining('has reached its limit of 2 push configurations') as string,
    });
  });

  test('a page of ListTasks is never larger than limits.pageSize, and reports its size', async () => {
    const server = await startServer({ limits: { pageSize: 2 } });
    for (const content of ['one', 'two', 'three']) await sendTask(server, RPC_1, { text: content });

    for (const query of ['', '?pageSize=50', '?pageSize=2']) {
      const { json } = await server.ask({ method: 'GET', path: `/tasks${query}` });
      expect(json).toMatchObject({ pageSize: 2, totalSize: 3, nextPageToken: expect.stringMatching(/./) as string });
      expect((json as { tasks: readonly unknown[] }).tasks).toHaveLength(2);
    }
    expect((await server.ask({ method: 'GET', path: '/tasks?pageSize=1' })).json).toMatchObject({ pageSize: 1 });
  });

  test.each(FORMATS_SINCE_02)(
    '$name: a request with more extensions than extensionsPerRequest is rejected',
    async (format) => {
      const uri = 'https://example.com/ext/0';
      const server = await startServer({ agent: { extensions: [{ uri }] }, limits: { extensionsPerRequest: 2 } });
      const naming = (count: number): Ask => {
        const uris = Array.from({ length: count }, (_, i) => `https://example.com/ext/${i}`);
        const ask = format.send({ text: 'hello' });
        return { ...ask, headers: { ...ask.headers, 'a2a-extensions': uris.join(', ') } };
      };

      expect(format.sent(await server.ask(naming(2)))).toMatchObject({ task: { state: 'completed' } });
      expect(format.error(await server.ask(naming(3)))).toMatchObject({
        reason: 'INVALID_REQUEST',
        message: 'Expected the header A2A-Extensions to name at most 2 extensions',
      });
    },
  );

  test.each([
    [
      'a request with a URL',
      (bytes: number): Ask => ({ method: 'GET', path: `/tasks?contextId=${'x'.repeat(bytes)}` }),
    ],
    [
      'a request with a header',
      (bytes: number): Ask => ({ method: 'GET', path: '/tasks', headers: { 'x-a': 'x'.repeat(bytes) } }),
    ],
    [
      'a request with many headers',
      (bytes: number): Ask => ({
        method: 'GET',
        path: '/tasks',
        headers: Object.fromEntries(Array.from({ length: bytes / 20 }, (_, i) => [`x-${i}`, 'x'.repeat(12)])),
      }),
    ],
  ])('%s over maxHeaderBytes gets 431', async (_, ask) => {
    const usual = await startServer();
    const small = await startServer({ maxHeaderBytes: 1000 });

    expect((await usual.ask(ask(2000))).status).toBe(200);
    expect((await usual.ask(ask(20_000))).status).toBe(431);
    expect((await small.ask(ask(100))).status).toBe(200);
    expect((await small.ask(ask(2000))).status).toBe(431);
  });

  test('a connection over maxConnections is closed', async () => {
    const server = await startServer({ maxConnections: 2 });
    const ended = Array.from({ length: 3 }, () => {
      const socket = openSocket(server.server.port, '127.0.0.1');
      onTestFinished(() => void socket.destroy());
      return { socket, end: new Promise<string>((resolve) => socket.once('close', () => resolve('ended'))) };
    });

    expect(await Promise.race(ended.map(({ end }) => end))).toBe('ended');
    expect(ended.filter(({ socket }) => !socket.destroyed)).toHaveLength(2);
    for (const { socket } of ended) socket.destroy();
    await Promise.all(ended.map(({ end }) => end));
    await expect.poll(async () => (await server.ask({ method: 'GET', path: '/healthz' })).status).toBe(200);
  });
});
