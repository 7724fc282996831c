/** How much a message may hold, and how many of a thing there may be (1.0 §13.4). Each limit is met from both sides. */
import { connect as openSocket } from 'node:net';

import { describe, expect, onTestFinished, test } from 'vitest';

import { DEFAULT_LIMITS, type Limits } from '../../src/server/limits/limit-settings.ts';
import { verifies } from '../helpers/verifies.ts';
import type { Ask } from './kit/exchange.ts';
import { startServer } from './kit/server.ts';
import { getTask, holdTask, sendTask } from './kit/talk.ts';
import { NEWEST, REST_03, REST_1, RPC_01, RPC_1, SINCE_02, type Voice, VOICES } from './kit/voices.ts';
import { rpc } from './kit/voices/rpc.ts';

/** A file of so many bytes, in the words of a voice. */
function file(voice: Voice, bytes: number): Readonly<Record<string, unknown>> {
  const base64 = Buffer.alloc(bytes, 7).toString('base64');
  if (voice.version === '1.0') return { raw: base64, mediaType: 'text/plain' };
  if (voice === REST_03) return { file: { fileWithBytes: base64, mimeType: 'text/plain' } };
  return { [voice === RPC_01 ? 'type' : 'kind']: 'file', file: { bytes: base64, mimeType: 'text/plain' } };
}

function text(voice: Voice, content: string): Readonly<Record<string, unknown>> {
  if (voice.version === '1.0' || voice === REST_03) return { text: content };
  return { [voice === RPC_01 ? 'type' : 'kind']: 'text', text: content };
}

/** About so long as it is written. */
function metadata(bytes: number): Readonly<Record<string, string>> {
  return { note: 'x'.repeat(bytes - 12) };
}

function nested(levels: number): Readonly<Record<string, unknown>> {
  return JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`) as Readonly<Record<string, unknown>>;
}

interface SizeCase {
  readonly name: string;
  readonly limits: Partial<Limits>;
  /** Says something that holds so much of it. */
  say(voice: Voice, amount: number): Ask;
  /** The most that is taken. */
  readonly most: number;
  readonly reason: 'INVALID_PARAMS' | 'PAYLOAD_TOO_LARGE';
  readonly field: RegExp;
}

const SIZES: readonly SizeCase[] = [
  {
    name: 'parts of a message',
    limits: { partsPerMessage: 3 },
    say: (voice, amount) => voice.send({ parts: Array.from({ length: amount }, (_, i) => text(voice, `${i}`)) }),
    most: 3,
    reason: 'INVALID_PARAMS',
    field: /^message\.parts$/,
  },
  {
    name: 'characters of a text',
    limits: { textCharacters: 100 },
    say: (voice, amount) => voice.send({ parts: [text(voice, 'short'), text(voice, 'ä'.repeat(amount))] }),
    most: 100,
    reason: 'PAYLOAD_TOO_LARGE',
    field: /^message\.parts\[1\]\.text$/,
  },
  {
    name: 'bytes of a file',
    limits: { fileBytes: 100 },
    say: (voice, amount) => voice.send({ parts: [file(voice, amount)] }),
    most: 100,
    reason: 'PAYLOAD_TOO_LARGE',
    field: /^message\.parts\[0\]\.raw$/,
  },
  {
    name: 'metadata of a message',
    limits: { metadataBytes: 100 },
    say: (voice, amount) => voice.send({ text: 'hello', metadata: metadata(amount) }),
    most: 100,
    reason: 'PAYLOAD_TOO_LARGE',
    field: /^(?:message\.)?metadata$/,
  },
  {
    name: 'metadata of a part',
    limits: { metadataBytes: 100 },
    say: (voice, amount) => voice.send({ parts: [{ ...text(voice, 'hello'), metadata: metadata(amount) }] }),
    most: 100,
    reason: 'PAYLOAD_TOO_LARGE',
    field: /^message\.parts\[0\]\.metadata$/,
  },
  {
    name: 'items of a list',
    limits: { items: 5 },
    say: (voice, amount) => voice.send({ text: 'hello', metadata: { list: Array.from({ length: amount }, () => 0) } }),
    most: 5,
    reason: 'INVALID_PARAMS',
    field: /metadata\.list$/,
  },
];

describe.each(SIZES)('$name', ({ limits, say, most, reason, field }) => {
  test.each(VOICES)(verifies('E-15', '$name: as many as may be are taken, and one more is refused'), async (voice) => {
    const server = await startServer({ limits });

    expect(voice.sent(await server.ask(say(voice, most)))).toMatchObject({ task: { state: 'completed' } });
    const answer = await server.ask(say(voice, most + 1));

    expect(voice.error(answer).reason).toBe(reason);
    expect(voice.error(answer).message).toMatch(/: expected at most \d+ /);
    expect(voice.error(answer).fields).toEqual([expect.stringMatching(field)]);
    if (voice.binding === 'REST') expect(answer.status).toBe(reason === 'PAYLOAD_TOO_LARGE' ? 413 : 400);
    expect(server.runs()).toBe(1);
  });
});

describe('nesting', () => {
  test.each(VOICES)(verifies('E-15', '$name: is as deep as the option says, and no deeper'), async (voice) => {
    const server = await startServer({ limits: { depth: 10 } });

    const taken = await server.ask(voice.send({ text: 'hello', metadata: nested(6) }));
    const refused = await server.ask(voice.send({ text: 'hello', metadata: nested(11) }));

    expect(voice.sent(taken)).toMatchObject({ task: { state: 'completed' } });
    expect(voice.error(refused).reason).toBe('INVALID_PARAMS');
    expect(server.runs()).toBe(1);
  });

  test('that nobody reads is accepted in a small body', async () => {
    const server = await startServer();
    const ask = RPC_1.send({ text: 'hello' });
    const body = JSON.stringify(ask.body).replace('{', `{"x":${'['.repeat(1000)}${']'.repeat(1000)},`);

    expect(
      RPC_1.sent(await server.ask({ ...ask, headers: { ...ask.headers, 'content-type': 'application/json' }, body })),
    ).toMatchObject({ task: { state: 'completed' } });
  });
});

describe('the defaults', () => {
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
  ])(verifies('E-15', 'hold for %s'), async (_, ask) => {
    const server = await startServer();

    const answer = await server.ask(ask);

    expect([400, 413]).toContain(answer.status);
    expect(server.runs()).toBe(0);
  });
});

describe('messages of a task', () => {
  test.each(SINCE_02)('$name: at the limit it takes no more', async (voice) => {
    const server = await startServer({ limits: { messagesPerTask: 4 } });
    const { id } = await holdTask(server, voice);
    const say = (said: string): Ask => voice.send({ text: said, taskId: id, returnImmediately: true });

    for (const said of ['two', 'three', 'four']) voice.sent(await server.ask(say(said)));
    const refused = await server.ask(say('five'));

    expect(voice.error(refused)).toMatchObject({
      reason: 'UNSUPPORTED_OPERATION',
      message: `Task ${id} has reached its limit of 4 messages. Start a new task in the same context.`,
    });
    expect((await getTask(server, voice, id)).history).toEqual([
      'user: hold on',
      'user: two',
      'user: three',
      'user: four',
    ]);
  });

  test('the answer to a question is one more', async () => {
    const server = await startServer({ limits: { messagesPerTask: 1 } });
    const { id, state } = await sendTask(server, RPC_1, { text: 'ask' });

    const answer = await server.ask(RPC_1.send({ text: 'Oslo', taskId: id }));

    expect(state).toBe('input-required');
    expect(RPC_1.error(answer).reason).toBe('UNSUPPORTED_OPERATION');
    expect((await getTask(server, RPC_1, id)).state).toBe('input-required');
  });

  test('a repeat is known, and not counted again', async () => {
    const server = await startServer({ limits: { messagesPerTask: 2 } });
    const { id } = await holdTask(server, RPC_1);
    const ask = RPC_1.send({ text: 'two', taskId: id, returnImmediately: true });
    const keyed = { ...ask, headers: { ...ask.headers, 'idempotency-key': 'k' } };

    for (let i = 0; i < 3; i++) expect(RPC_1.sent(await server.ask(keyed))).toMatchObject({ task: { id } });
  });
});

describe('streams', () => {
  test.each(VOICES)('$name: a caller has as many open as he may; one that ends makes room', async (voice) => {
    const server = await startServer({ limits: { streamsPerCaller: 2 } });
    const { id, stream } = await holdTask(server, voice);
    const second = await server.open(voice.subscribe(id));
    await second.next();

    for (const ask of [voice.subscribe(id), voice.stream({ text: 'hello' })]) {
      const refused = await server.ask(ask);
      expect(refused.status).toBe(429);
      expect(refused.headers['retry-after']).toBe('5');
      expect(voice.error(refused)).toMatchObject({
        reason: 'RATE_LIMIT_EXCEEDED',
        message: 'Too many open streams: the limit is 2 per caller',
      });
    }
    expect(server.runs()).toBe(1);

    server.release();
    await Promise.all([stream.rest(), second.rest()]);
    const again = await server.ask(voice.stream({ text: 'hello' }));
    expect(again.headers['content-type']).toBe('text/event-stream');
    // A stream that could not be opened holds no place.
    for (let i = 0; i < 3; i++) expect((await server.ask(voice.subscribe('unknown'))).status).not.toBe(429);
  });

  test('a reader who goes away makes room', async () => {
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

  test.each(VOICES)('$name: a task has as many subscribers as it may', async (voice) => {
    const server = await startServer({ limits: { subscribersPerTask: 1 } });
    const { id } = await holdTask(server, voice);
    const first = await server.open(voice.subscribe(id));
    await first.next();

    const refused = await server.ask(voice.subscribe(id));
    const { id: other } = await holdTask(server, voice);
    const elsewhere = await server.open(voice.subscribe(other));

    expect(refused.status).toBe(429);
    expect(voice.error(refused).message).toBe('Too many subscribers: the limit is 1 per task');
    expect(elsewhere.status).toBe(200);
  });

  test('by default a hundred, for who comes from elsewhere', async () => {
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

describe('the rest', () => {
  test.each(NEWEST)('$name: push configurations of a task', async (voice) => {
    const server = await startServer({ pushNotifications: true, limits: { pushConfigsPerTask: 2 } });
    const { id } = await sendTask(server, voice, { text: 'hello' });
    const config = { taskId: id, url: 'https://example.com/hook' };
    const create: Ask =
      voice.binding === 'REST'
        ? { method: 'POST', path: `/tasks/${id}/pushNotificationConfigs`, body: config }
        : rpc('1.0', 'CreateTaskPushNotificationConfig', config);

    const answers = [await server.ask(create), await server.ask(create), await server.ask(create)];

    expect(answers.map(({ text: body }) => body.includes('error'))).toEqual([false, false, true]);
    expect(voice.error(answers[2] ?? expect.fail())).toMatchObject({
      reason: 'UNSUPPORTED_OPERATION',
      message: expect.stringContaining('has reached its limit of 2 push configurations') as string,
    });
  });

  test('a page of tasks is never larger, and says its size', async () => {
    const server = await startServer({ limits: { pageSize: 2 } });
    for (const said of ['one', 'two', 'three']) await sendTask(server, RPC_1, { text: said });

    for (const query of ['', '?pageSize=50', '?pageSize=2']) {
      const { json } = await server.ask({ method: 'GET', path: `/tasks${query}` });
      expect(json).toMatchObject({ pageSize: 2, totalSize: 3, nextPageToken: expect.stringMatching(/./) as string });
      expect((json as { tasks: readonly unknown[] }).tasks).toHaveLength(2);
    }
    expect((await server.ask({ method: 'GET', path: '/tasks?pageSize=1' })).json).toMatchObject({ pageSize: 1 });
  });

  test.each(SINCE_02)('$name: extensions that a request names', async (voice) => {
    const uri = 'https://example.com/ext/0';
    const server = await startServer({ agent: { extensions: [{ uri }] }, limits: { extensionsPerRequest: 2 } });
    const naming = (count: number): Ask => {
      const uris = Array.from({ length: count }, (_, i) => `https://example.com/ext/${i}`);
      const ask = voice.send({ text: 'hello' });
      return { ...ask, headers: { ...ask.headers, 'a2a-extensions': uris.join(', ') } };
    };

    expect(voice.sent(await server.ask(naming(2)))).toMatchObject({ task: { state: 'completed' } });
    expect(voice.error(await server.ask(naming(3)))).toMatchObject({
      reason: 'INVALID_REQUEST',
      message: 'Expected the header A2A-Extensions to name at most 2 extensions',
    });
  });

  test.each([
    ['an address', (bytes: number): Ask => ({ method: 'GET', path: `/tasks?contextId=${'x'.repeat(bytes)}` })],
    ['a header', (bytes: number): Ask => ({ method: 'GET', path: '/tasks', headers: { 'x-a': 'x'.repeat(bytes) } })],
    [
      'many headers',
      (bytes: number): Ask => ({
        method: 'GET',
        path: '/tasks',
        headers: Object.fromEntries(Array.from({ length: bytes / 20 }, (_, i) => [`x-${i}`, 'x'.repeat(12)])),
      }),
    ],
  ])('%s that is too long is refused by Node', async (_, ask) => {
    const usual = await startServer();
    const small = await startServer({ maxHeaderBytes: 1000 });

    expect((await usual.ask(ask(2000))).status).toBe(200);
    expect((await usual.ask(ask(20_000))).status).toBe(431);
    expect((await small.ask(ask(100))).status).toBe(200);
    expect((await small.ask(ask(2000))).status).toBe(431);
  });

  test('connections above their number are hung up on', async () => {
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
