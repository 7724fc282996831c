/** Members of messages and parts that their version does not define: kept, and returned to callers of the same version only. */
import { describe, expect, test } from 'vitest';
import type { IncomingMessage } from '../../src/engine/handler.ts';
import { agent } from '../../src/agent/agent.ts';
import type { ServeOptions } from '../../src/node/serve.ts';
import type { Ask } from './kit/exchange.ts';
import { serveOnSocket, type TestServer } from './kit/server.ts';
import { rpc } from './kit/wire-formats/rpc.ts';
import { startReceiver } from './push/receiver.ts';

const UNKNOWN_MEMBERS = /priority|annotation|unknownMembers/;

interface WireFormat {
  readonly name: string;
  readonly version: '1.0' | '0.3' | '0.2' | '0.1';
  send(id: string, hook?: string): Ask;
  stream(id: string): Ask;
  get(taskId: string): Ask;
  subscribe(taskId: string): Ask;
}

const SAID_1 = { role: 'ROLE_USER', parts: [{ text: 'hi', annotation: 'bold' }], priority: 3 };
const SAID_03 = {
  kind: 'message',
  role: 'user',
  parts: [{ kind: 'text', text: 'hi', annotation: 'bold' }],
  priority: 3,
};
const SAID_PROTO = { role: 'ROLE_USER', content: [{ text: 'hi', annotation: 'bold' }], priority: 3 };

function post(path: string, version: string, body: unknown): Ask {
  return { method: 'POST', path, headers: { 'a2a-version': version }, body };
}

function get(path: string, version: string): Ask {
  return { method: 'GET', path, headers: { 'a2a-version': version } };
}

function params1(messageId: string, hook?: string): object {
  const taskPushNotificationConfig = hook && { url: hook };
  return {
    message: { messageId, ...SAID_1 },
    configuration: { returnImmediately: true, ...(hook && { taskPushNotificationConfig }) },
  };
}

function params03(message: object, hook?: string): object {
  const pushNotificationConfig = hook && { url: hook };
  return { message, configuration: { blocking: false, ...(hook && { pushNotificationConfig }) } };
}

function rpcFormat03(version: '0.3' | '0.2'): WireFormat {
  const message = (messageId: string): object => ({ messageId, ...SAID_03 });
  return {
    name: `${version} JSON-RPC`,
    version,
    send: (id, hook) => rpc(version, 'message/send', params03(message(id), hook)),
    stream: (id) => rpc(version, 'message/stream', { message: message(id) }),
    get: (id) => rpc(version, 'tasks/get', { id }),
    subscribe: (id) => rpc(version, 'tasks/resubscribe', { id }),
  };
}

function restFormat03(name: string, message: object): WireFormat {
  return {
    name,
    version: '0.3',
    send: (messageId, hook) => {
      const pushNotification = hook && { url: hook };
      const configuration = {
        blocking: false,
        ...(hook && { pushNotification, pushNotificationConfig: pushNotification }),
      };
      return post('/v1/message:send', '0.3', {
        [name.includes('proto') ? 'request' : 'message']: { messageId, ...message },
        configuration,
      });
    },
    stream: (messageId) =>
      post('/v1/message:stream', '0.3', {
        [name.includes('proto') ? 'request' : 'message']: { messageId, ...message },
      }),
    get: (id) => get(`/v1/tasks/${id}`, '0.3'),
    subscribe: (id) => get(`/v1/tasks/${id}:subscribe`, '0.3'),
  };
}

const WIRE_FORMATS: readonly WireFormat[] = [
  {
    name: '1.0 JSON-RPC',
    version: '1.0',
    send: (id, hook) => rpc('1.0', 'SendMessage', params1(id, hook)),
    stream: (messageId) => rpc('1.0', 'SendStreamingMessage', { message: { messageId, ...SAID_1 } }),
    get: (id) => rpc('1.0', 'GetTask', { id }),
    subscribe: (id) => rpc('1.0', 'SubscribeToTask', { id }),
  },
  {
    name: '1.0 REST',
    version: '1.0',
    send: (id, hook) => post('/message:send', '1.0', params1(id, hook)),
    stream: (messageId) => post('/message:stream', '1.0', { message: { messageId, ...SAID_1 } }),
    get: (id) => get(`/tasks/${id}`, '1.0'),
    subscribe: (id) => get(`/tasks/${id}:subscribe`, '1.0'),
  },
  rpcFormat03('0.3'),
  restFormat03('0.3 REST, proto style', SAID_PROTO),
  restFormat03('0.3 REST, kind style', SAID_03),
  rpcFormat03('0.2'),
];

interface Served extends Pick<TestServer, 'ask' | 'open'> {
  readonly received: readonly IncomingMessage[];
}

/** An agent that asks a question, so that its task stays open, and outputs the parts that it received. */
async function served(options?: ServeOptions): Promise<Served> {
  const received: IncomingMessage[] = [];
  const asking = agent({
    name: 'asking',
    description: 'Asks a question',
    run: async function* run({ message, ask }) {
      received.push(message);
      yield { artifact: 'echo', parts: message.parts };
      await ask('More?');
    },
  });
  const { ask, open } = await serveOnSocket(asking, options);
  return { ask, open, received };
}

function idOf(json: unknown): string {
  const id = /"id":"([0-9a-f-]{36})"/.exec(JSON.stringify(json))?.[1];
  return id ?? expect.fail(`Expected a task in ${JSON.stringify(json)}`);
}

/** Expects the unknown members in the message and its part, and nowhere else. */
function expectMembers(text: string): void {
  expect(text).toContain('"priority":3');
  expect(text).toContain('"annotation":"bold"');
  expect(text.split('annotation')).toHaveLength(2);
  expect(text).not.toContain('unknownMembers');
}

async function asked({ ask }: Served, { get: read }: WireFormat, id: string): Promise<string> {
  let text = '';
  await expect.poll(async () => (text = (await ask(read(id))).text)).toMatch(/input-required|INPUT_REQUIRED/);
  return text;
}

describe.each(WIRE_FORMATS)('$name', (format) => {
  test('the handler sees unknown members', async () => {
    const server = await served();
    const { json } = await server.ask(format.send('m'));
    await asked(server, format, idOf(json));
    const { version } = format;
    expect(server.received).toMatchObject([
      {
        unknownMembers: { version, members: { priority: 3 } },
        parts: [{ text: 'hi', unknownMembers: { version, members: { annotation: 'bold' } } }],
      },
    ]);
  });

  test('responses and streams return them in the history only, and callers of other versions never get them', async () => {
    const server = await served();
    const sent = await server.ask(format.send('m'));
    expectMembers(sent.text);
    const id = idOf(sent.json);
    expectMembers(await asked(server, format, id));
    const stream = await server.open(format.subscribe(id));
    const first = await stream.next();
    expectMembers(JSON.stringify(first?.json));
    stream.leave();

    for (const other of WIRE_FORMATS.filter(({ version }) => version !== format.version)) {
      const { text } = await server.ask(other.get(id));
      expect(text).toContain('hi');
      expect(text).not.toMatch(UNKNOWN_MEMBERS);
      const opened = await server.open(other.subscribe(id));
      expect(JSON.stringify((await opened.next())?.json)).not.toMatch(UNKNOWN_MEMBERS);
      opened.leave();
    }
  });

  test('the first event of a stream never shows them in another form', async () => {
    const server = await served();
    const stream = await server.open(format.stream('m'));
    const first = JSON.stringify((await stream.next())?.json);
    expect(first).toContain('hi');
    expectMembers(first);
    stream.leave();
  });

  test('push notifications return them', async () => {
    const receiver = await startReceiver();
    const server = await served({ pushNotifications: true, push: { allowPrivate: [receiver.origin] } });
    const { json, text } = await server.ask(format.send('m', receiver.url));
    expect(text).toContain('hi');
    await asked(server, format, idOf(json));
    const [first] = await receiver.until(1);
    expectMembers(first?.text ?? '');
  });
});

test('push notifications of 0.3 do not show unknown members of a task of 1.0', async () => {
  const receiver = await startReceiver();
  const server = await served({ pushNotifications: true, push: { allowPrivate: [receiver.origin] } });
  const voice1 = WIRE_FORMATS[0] ?? expect.fail('Expected the format of 1.0');
  const task1 = idOf((await server.ask(voice1.send('m'))).json);
  await asked(server, voice1, task1);
  const pushNotificationConfig = { url: receiver.url };
  await server.ask(rpc('0.3', 'tasks/pushNotificationConfig/set', { taskId: task1, pushNotificationConfig }));
  await server.ask(rpc('1.0', 'CancelTask', { id: task1 }));
  const [delivery] = await receiver.until(1);
  expect(delivery?.text).toContain('hi');
  expect(delivery?.text).not.toMatch(UNKNOWN_MEMBERS);
});

test('ListTasks returns unknown members of 1.0 and none of other versions', async () => {
  const server = await served();
  for (const [i, format] of WIRE_FORMATS.entries()) {
    await asked(server, format, idOf((await server.ask(format.send(`m-${i}`))).json));
  }
  const { json } = await server.ask(rpc('1.0', 'ListTasks', { historyLength: 10 }));
  const { tasks } = (json as { result: { tasks: { history: { messageId: string }[] }[] } }).result;
  expect(tasks).toHaveLength(WIRE_FORMATS.length);
  for (const [i, { version }] of WIRE_FORMATS.entries()) {
    const task = JSON.stringify(tasks.find(({ history }) => history[0]?.messageId === `m-${i}`));
    if (version === '1.0') expectMembers(task);
    else expect(task).not.toMatch(UNKNOWN_MEMBERS);
  }
});

test('0.1 returns unknown members to its callers, and 1.0 does not show them', async () => {
  const server = await served();
  const message = { role: 'user', parts: [{ type: 'text', text: 'hi', annotation: 'bold' }], priority: 3 };
  const sent = await server.ask(rpc('0.1', 'tasks/send', { id: 'mine', message, historyLength: 5 }));
  expectMembers(sent.text);
  expectMembers((await server.ask(rpc('0.1', 'tasks/get', { id: 'mine', historyLength: 5 }))).text);
  const { text } = await server.ask(rpc('1.0', 'ListTasks', { historyLength: 5 }));
  expect(text).toContain('hi');
  expect(text).not.toMatch(UNKNOWN_MEMBERS);
});

test('secrets in unknown members are redacted', async () => {
  const server = await served();
  const message = {
    messageId: 'm',
    ...SAID_1,
    apiKey: 'hunter2',
    parts: [{ text: 'hi', page: 1, password: 'hunter2' }],
  };
  const { text } = await server.ask(rpc('1.0', 'SendMessage', { message }));
  expect(text).toContain('"apiKey":"[redacted]"');
  expect(text).toContain('"password":"[redacted]"');
  expect(text).toContain('"page":1');
  expect(JSON.stringify([text, server.received])).not.toContain('hunter2');
});

test('a profile that rewrites parts accepts unknown members with lists named parts', async () => {
  const server = await served({ profile: 'agent-native' });
  const message = { ...SAID_03, messageId: 'm', priority: { parts: [null, 1, { kind: 'x' }] } };
  const body = { jsonrpc: '2.0', id: 1, method: 'message/send', params: { message } };
  const sent = await server.ask({ method: 'POST', path: '/_agent-native/a2a', body });
  expect(sent.status).toBe(200);
  expect(sent.text).toContain('"priority":{"parts":[null,1,');
});
