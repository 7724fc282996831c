import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  dialectFor,
  rawCall,
  streamOf,
  unwrapped,
  type WireFormat,
  WIRE_FORMATS,
} from '../../test/helpers/raw-call.ts';
import type { Message } from '../model/message.ts';
import type { Input, OperationName } from '../model/operation.ts';
import { serve } from '../node/serve.ts';
import { agent } from '../agent/agent.ts';
import { memoryStore } from '../store/memory/store.ts';
import { decodeCard } from '../wire/card/served/card-forms.ts';
import { decodeResult } from '../wire/dialect.ts';
import { fakePeer } from './fake-peer.ts';
import type { FakePeerOptions } from './fake-peer/peer.ts';
import { record, type RecordOptions } from './record.ts';
import type { Recording } from './recording/recording.ts';
import { replay, type Replay } from './replay.ts';

function newFile(name = 'talk.json'): string {
  const folder = mkdtempSync(join(tmpdir(), 'tandem-recording-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, name);
}

function say(text: string, more: Partial<Message> = {}): Input<'SendMessage'> {
  return { message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }], ...more } };
}

/** Calls an agent at a URL as a client does: first the card, then its interface. Returns all responses. */
async function talk(url: string, format: WireFormat): Promise<unknown[]> {
  const file = format.version === '0.1' || format.version === '0.2' ? 'agent.json' : 'agent-card.json';
  const card = decodeCard(await (await fetch(`${url}/.well-known/${file}`)).json()).value;
  const at = card.supportedInterfaces.find(({ protocolBinding }) => protocolBinding === format.binding)?.url ?? '';
  const decoded = (operation: OperationName, json: unknown): unknown =>
    decodeResult(dialectFor(format), operation, unwrapped(format, json)).value;
  const call = async <K extends OperationName>(operation: K, input: Input<K>): Promise<unknown> => {
    const response = await rawCall(format, at, operation, input);
    return decoded(operation, await response.json());
  };
  const sent = (await call('SendMessage', say('Rome'))) as { task: { id: string } };
  const got = await call('GetTask', { id: sent.task.id });
  const streamed = await streamOf(await rawCall(format, at, 'SendStreamingMessage', say('Oslo')));
  return [card.name, sent, got, ...streamed.map((item) => decoded('SendStreamingMessage', item))];
}

/** Ids and times are another matter. */
function essence(learned: readonly unknown[]): string {
  return JSON.stringify(learned)
    .replace(/"(\w*[iI]d|timestamp)":"[^"]*"/g, '"$1":"…"')
    .replace(/http:\/\/127\.0\.0\.1:\d+/g, '');
}

async function openClerk(): Promise<string> {
  const clerk = agent({
    name: 'Clerk',
    description: 'Books.',
    async *run({ text }) {
      yield { status: 'working', text: 'Hm' };
      yield `Booked ${text}`;
    },
  });
  const server = await serve(clerk, { port: 0, store: memoryStore(), insecurePublic: true });
  onTestFinished(() => server.close());
  return server.url;
}

async function recorded(
  target: string,
  converse: (url: string) => Promise<unknown>,
  options: RecordOptions = {},
): Promise<{ file: string; text: string; learned: unknown }> {
  const file = newFile();
  const recorder = await record(target, file, options);
  try {
    const learned = await converse(recorder.url);
    await recorder.close();
    return { file, text: readFileSync(file, 'utf8'), learned };
  } finally {
    await recorder.close();
  }
}

async function open(file: string): Promise<Replay> {
  const replayed = await replay(file);
  onTestFinished(() => replayed.close());
  return replayed;
}

test.each(WIRE_FORMATS)('$version over $binding: a replay returns the responses of the agent', async (format) => {
  const target = await openClerk();
  const { file, text, learned } = await recorded(target, (url) => talk(url, format));
  const replayed = await open(file);

  const again = await talk(replayed.url, format);

  expect(essence(again)).toBe(essence(learned as unknown[]));
  expect(replayed.misses).toEqual([]);
  expect(replayed.unused).toEqual([]);
  expect(text).not.toContain(target);
  expect(text).toContain('{{agent}}');
});

test.each(WIRE_FORMATS)('$version over $binding: two recordings of the same conversation are equal', async (format) => {
  const first = await recorded(await openClerk(), (url) => talk(url, format));
  const second = await recorded(await openClerk(), (url) => talk(url, format));

  expect(second.text).toBe(first.text);
});

test('a recording is readable JSON', async () => {
  const peer = await fakePeer({ script: [['Hello']] });
  onTestFinished(() => peer.close());
  const format = { version: '1.0', binding: 'JSONRPC' } as const;
  const { text } = await recorded(peer.url, async (url) => {
    await (await rawCall(format, `${url}/a2a`, 'SendMessage', say('hi'))).text();
  });

  expect((JSON.parse(text) as Recording).exchanges[0]).toEqual({
    request: {
      method: 'POST',
      path: '/a2a',
      headers: { 'a2a-version': '1.0' },
      body: {
        jsonrpc: '2.0',
        id: '{{request-id}}',
        method: 'SendMessage',
        params: { message: { messageId: '{{message-1}}', role: 'ROLE_USER', parts: [{ text: 'hi' }] } },
      },
    },
    response: {
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: {
        jsonrpc: '2.0',
        id: '{{request-id}}',
        result: {
          task: {
            id: 'task-1',
            contextId: 'context-1',
            status: { state: 'TASK_STATE_COMPLETED', timestamp: '2026-01-01T00:00:00.000Z' },
            artifacts: [{ artifactId: 'response', name: 'response', parts: [{ text: 'Hello' }] }],
            history: [
              {
                messageId: '{{message-1}}',
                role: 'ROLE_USER',
                parts: [{ text: 'hi' }],
                taskId: 'task-1',
                contextId: 'context-1',
              },
            ],
          },
        },
      },
    },
  });
});

const SECRETS = {
  bearer: 'correct-horse-battery',
  key: 'k-3f7a9b2c',
  cookie: 'sess-1234567890',
  push: 'push-token-value',
  credentials: 'push-credentials',
  hook: 'T0A1B2C3D4E5F6G7H8I9',
  query: 'query-value-1',
  metadata: 'metadata-value',
  named: 'plum',
  pair: 'AKEY-999999',
};

test.each(WIRE_FORMATS)('$version over $binding: a recording contains no secrets', async (format) => {
  const peer = await fakePeer({
    ...format,
    script: [({ text }) => [{ status: 'working', text: `You said: ${text}` }]],
  });
  onTestFinished(() => peer.close());
  const headers = {
    authorization: `Bearer ${SECRETS.bearer}`,
    'x-api-key': SECRETS.key,
    cookie: `session=${SECRETS.cookie}`,
  };
  const { text } = await recorded(
    peer.url,
    async (url) => {
      const words = `my key is ${SECRETS.key}, my token ${SECRETS.bearer}, apikey=${SECRETS.pair}, and the word is ${SECRETS.named}`;
      const message = say(words, { metadata: { githubToken: SECRETS.metadata } });
      await (await rawCall(format, `${url}/a2a`, 'SendMessage', message, { headers })).text();
      const taskId = peer.tasks[0]?.id ?? '';
      const config = {
        taskId,
        id: 'c1',
        url: `https://hooks.example/${SECRETS.hook}?access_token=${SECRETS.query}`,
        token: SECRETS.push,
        authentication: { scheme: 'Bearer', credentials: SECRETS.credentials },
      };
      await (await rawCall(format, `${url}/a2a`, 'CreateTaskPushNotificationConfig', config, { headers })).text();
      await (await fetch(`${url}/a2a/nowhere?api_key=${SECRETS.query}`, { headers })).text();
    },
    { secrets: [SECRETS.named] },
  );

  expect(peer.requests[0]?.headers).toMatchObject(headers);
  expect(peer.requests[0]?.text).toContain(SECRETS.bearer);
  for (const secret of Object.values(SECRETS)) expect(text).not.toContain(secret);
  expect(text).toContain('"authorization": "[scrubbed]"');
});

test('a recording has mode 600, also if the file existed with another mode', async () => {
  const peer = await fakePeer();
  onTestFinished(() => peer.close());
  const file = newFile();
  for (const before of [undefined, 0o644]) {
    if (before !== undefined) chmodSync(file, before);
    const recorder = await record(peer.url, file);
    await recorder.close();
    expect(statSync(file).mode & 0o777).toBe(0o600);
  }
});

const WAY: WireFormat = { version: '1.0', binding: 'JSONRPC' };

/** A replay of a few calls to a fake peer. */
async function replayOf(options: FakePeerOptions, converse: (url: string) => Promise<unknown>): Promise<Replay> {
  const peer = await fakePeer(options);
  onTestFinished(() => peer.close());
  const { file } = await recorded(peer.url, converse);
  return open(file);
}

async function errorOf(response: Response): Promise<unknown> {
  return ((await response.json()) as { error: { message: unknown } }).error.message;
}

test('a request that is not in the recording gets an error that names the difference', async () => {
  const opened = await replayOf({ script: [['Hi']] }, async (url) => {
    await (await rawCall(WAY, `${url}/a2a`, 'SendMessage', say('hello'))).text();
    for (let i = 0; i < 2; i++) await (await rawCall(WAY, `${url}/a2a`, 'GetTask', { id: 'task-1' })).text();
  });
  const ask = (operation: 'SendMessage' | 'CancelTask', input: Input<'SendMessage'> | Input<'CancelTask'>) =>
    rawCall(WAY, `${opened.url}/a2a`, operation, input as never).then(errorOf);

  expect(await ask('SendMessage', say('ciao'))).toBe(
    'talk.json has no response for SendMessage: expected "hello" at params.message.parts[0].text, got "ciao"',
  );
  expect(await ask('CancelTask', { id: 'task-1' })).toBe(
    'talk.json has no response for CancelTask: it contains only SendMessage, GetTask',
  );
  await rawCall(WAY, `${opened.url}/a2a`, 'SendMessage', say('hello'));
  expect(await ask('SendMessage', say('hello'))).toBe(
    'talk.json has no response for SendMessage: it was recorded once, and requested once more',
  );
  const rest = await fetch(`${opened.url}/tasks/9`);
  expect([rest.status, await errorOf(rest)]).toEqual([
    501,
    'talk.json has no response for GET /tasks/9: it contains only SendMessage, GetTask',
  ]);
  expect((await fetch(`${opened.url}/.well-known/agent-card.json`)).status).toBe(404);
  expect(opened.misses).toHaveLength(5);
  expect(opened.unused).toEqual(['GetTask', 'GetTask']);
});

test('polling returns the recorded responses in order, then repeats the last one', async () => {
  const { url } = await replayOf({ script: [[{ status: 'working' }, 'Hi']], answersAtOnce: true }, async (at) => {
    await (await rawCall(WAY, `${at}/a2a`, 'SendMessage', say('hello'))).text();
    for (let i = 0; i < 3; i++) await (await rawCall(WAY, `${at}/a2a`, 'GetTask', { id: 'task-1' })).text();
  });

  const states = [];
  for (let i = 0; i < 5; i++) {
    const json = await (await rawCall(WAY, `${url}/a2a`, 'GetTask', { id: 'task-1' })).json();
    states.push((json as { result: { status: { state: string } } }).result.status.state.slice(11));
  }

  expect(states).toEqual(['WORKING', 'WORKING', 'COMPLETED', 'COMPLETED', 'COMPLETED']);
});

test('ids that the caller chose are returned to the caller', async () => {
  const inContext = (url: string, contextId: string): Promise<unknown> =>
    rawCall(WAY, `${url}/a2a`, 'SendMessage', say('hello', { contextId })).then((response) => response.json());
  const replayed = await replayOf({ script: [({ number }) => `Hello ${number}`] }, async (url) => {
    await inContext(url, 'a');
    await inContext(url, 'b');
    await inContext(url, 'a');
  });

  const answers = [];
  for (const contextId of ['x', 'x', 'y']) answers.push(await inContext(replayed.url, contextId));

  expect(answers).toMatchObject([
    { result: { task: { contextId: 'x', artifacts: [{ parts: [{ text: 'Hello 1' }] }] } } },
    { result: { task: { contextId: 'x', artifacts: [{ parts: [{ text: 'Hello 3' }] }] } } },
    { result: { task: { contextId: 'y', artifacts: [{ parts: [{ text: 'Hello 2' }] }] } } },
  ]);
  expect(replayed.misses).toEqual([]);
});

test('a replay repeats cut streams and lost responses', async () => {
  const calls = async (url: string): Promise<unknown[]> => {
    const cut = rawCall(WAY, `${url}/a2a`, 'SendStreamingMessage', say('one')).then(streamOf);
    const first = await cut.catch((error: Error) => error.message);
    const lost = rawCall(WAY, `${url}/a2a`, 'SendMessage', say('two'));
    return [first, await lost.catch((error: Error) => error.message)];
  };
  let live: unknown;
  const { url } = await replayOf(
    {
      faults: [
        { fault: 'cut-stream', afterEvents: 1 },
        { fault: 'drop', on: 'SendMessage' },
      ],
    },
    async (at) => (live = await calls(at)),
  );

  expect(live).toEqual(['terminated', 'fetch failed']);
  expect(await calls(url)).toEqual(live);
});

test('a replayed stream stays open if its subscriber disconnected during the recording', async () => {
  const readOne = async (url: string): Promise<{ leave: () => Promise<void>; next: () => Promise<unknown> }> => {
    const response = await rawCall(WAY, `${url}/a2a`, 'SendStreamingMessage', say('hello'));
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    return { leave: () => reader.cancel(), next: () => reader.read() };
  };
  const { url, close } = await replayOf({ script: [[{ status: 'working' }]] }, async (at) => {
    const { leave } = await readOne(at);
    await leave();
  });

  const { next } = await readOne(url);
  const following = (async () => {
    for (;;) await next();
  })();
  await close();

  await expect(following).rejects.toThrow('terminated');
});

test('a card with an interface at an unrecorded origin is rejected', async () => {
  const api = await fakePeer({ script: ['Hello'] });
  onTestFinished(() => api.close());
  const elsewhere = { url: `${api.url}/a2a`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' };
  const site = await fakePeer({ card: { supportedInterfaces: [elsewhere] } });
  onTestFinished(() => site.close());
  const converse = async (url: string): Promise<unknown> => {
    const response = await fetch(`${url}/.well-known/agent-card.json`);
    const card = (await response.json()) as { supportedInterfaces?: { url: string }[]; error?: string };
    if (card.supportedInterfaces === undefined) return card.error;
    return (await rawCall(WAY, card.supportedInterfaces[0]?.url ?? '', 'SendMessage', say('hello'))).json();
  };

  const refused = await recorded(site.url, converse);
  const { file, learned } = await recorded(site.url, converse, { origins: [api.url] });

  expect(refused.learned).toContain(`The card has an interface at ${api.url}`);
  expect(essence([await converse((await open(file)).url)])).toBe(essence([learned]));
  expect(api.requests).toHaveLength(1);
});

test('recorded cards contain the address of the recorder and no signature', async () => {
  const signatures = [{ protected: 'e30', signature: 'abc' }];
  const peer = await fakePeer({ card: { signatures }, extendedCard: { description: 'For friends.', signatures } });
  onTestFinished(() => peer.close());

  const { learned } = await recorded(peer.url, async (url) => {
    const headers = { 'if-none-match': '"known"' };
    const card: unknown = await (await fetch(`${url}/.well-known/agent-card.json`, { headers })).json();
    const extended = await (await rawCall(WAY, `${url}/a2a`, 'GetExtendedAgentCard', {})).json();
    return { url, cards: [card, (extended as { result: unknown }).result] };
  });

  const { url, cards } = learned as { url: string; cards: object[] };
  expect(peer.requests[0]?.headers).not.toHaveProperty('if-none-match');
  for (const card of cards) {
    expect(card).toMatchObject({ name: 'Fake peer', supportedInterfaces: [{ url: `${url}/a2a` }] });
    expect(card).not.toHaveProperty('signatures');
  }
});

test('an agent below a path is replayed below that path', async () => {
  const peer = await fakePeer({ path: '/agents/clerk', script: ['Hello'] });
  onTestFinished(() => peer.close());
  const converse = async (url: string): Promise<unknown> =>
    (await rawCall(WAY, url, 'SendMessage', say('hello'))).json();
  const { file, learned } = await recorded(`${peer.url}/agents/clerk`, converse);

  const { url } = await open(file);

  expect(new URL(url).pathname).toBe('/agents/clerk');
  expect(essence([await converse(url)])).toBe(essence([learned]));
});

test.each([
  ['the file does not exist', undefined, 'does not exist. Create it with record()'],
  ['the file is not JSON', '{', 'is not valid JSON'],
  ['the file has another format', '{"log":{}}', 'is not a recording that this version can read'],
])('a recording is rejected: %s', async (_case, text, message) => {
  const file = newFile();
  if (text !== undefined) writeFileSync(file, text);
  await expect(replay(file)).rejects.toThrow(message);
});
