/** The examples of the A2A specification 0.2, section 9, and its tables of methods and errors, as they are printed there. */
import { describe, expect, test } from 'vitest';

import type { TaskContext } from '../../../src/engine/handler.ts';
import type { Output } from '../../../src/engine/output/output.ts';
import type { ServeOptions } from '../../../src/node/serve.ts';
import { agent as createAgent } from '../../../src/agent/agent.ts';
import type { AgentOptions } from '../../../src/agent/agent-options.ts';
import { bearerTokens } from '../../../src/host/auth/bearer-tokens.ts';
import { deferred } from '../../../src/support/deferred.ts';
import type { Answer, LiveStream } from '../kit/exchange.ts';
import { serveOnSocket } from '../kit/server.ts';
import { startReceiver } from '../push/receiver.ts';

type Run = (context: TaskContext) => AsyncGenerator<Output, Output | void> | Promise<Output | void>;

interface Documented {
  /** Sends the body of an example to the URL of the card. */
  readonly send: (body: unknown, headers?: Record<string, string>) => Promise<Answer>;
  /** The same, to read the response while it is written. */
  readonly open: (body: unknown) => Promise<LiveStream>;
  readonly get: (path: string, headers?: Record<string, string>) => Promise<Answer>;
}

async function serveAgent(run: Run, options: ServeOptions = {}, more: Partial<AgentOptions> = {}): Promise<Documented> {
  const agent = createAgent({ id: 'agent', name: 'Agent', description: 'Runs the examples.', run, ...more });
  const { ask, open } = await serveOnSocket(agent, options);
  return {
    send: (body, headers = {}) => ask({ method: 'POST', path: '/a2a', body, headers }),
    open: (body) => open({ method: 'POST', path: '/a2a', body }),
    get: (path, headers = {}) => ask({ method: 'GET', path, headers }),
  };
}

const ID = expect.stringMatching(/^[\w-]{10,}$/) as string;
const ANY_TEXT = expect.any(String) as string;
const text = (words: string) => ({ kind: 'text', text: words });
const resultOf = ({ json }: Answer): Record<string, unknown> =>
  (json as { readonly result: Record<string, unknown> }).result;
const codeOf = ({ json }: Answer): number => (json as { readonly error: { readonly code: number } }).error.code;

/** The results in the events of an SSE response. */
function eventsOf(answer: Answer): Record<string, unknown>[] {
  expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/event-stream']);
  return answer.text
    .split('\n\n')
    .flatMap((event) => /^data: (.*)$/m.exec(event)?.[1] ?? [])
    .map((data) => (JSON.parse(data) as { readonly result: Record<string, unknown> }).result);
}

describe('5.3 and 9.1 Agent Card and Authenticated Extended Card', () => {
  const SKILLS = [
    { id: 'route', name: 'Route', description: 'Plans routes.', tags: ['maps'] },
    { id: 'traffic', name: 'Traffic', description: 'Knows traffic.', tags: ['maps'], visibility: 'authenticated' },
  ] as const;
  const start = (): Promise<Documented> =>
    serveAgent(
      async () => 'ok',
      { auth: bearerTokens({ ann: 'obtained-access-token' }), extendedCard: true },
      { skills: SKILLS },
    );

  test('GET /.well-known/agent.json has url, skills, capabilities and supportsAuthenticatedExtendedCard', async () => {
    const { get } = await start();
    const { status, json } = await get('/.well-known/agent.json');
    expect(status).toBe(200);
    expect(json).toMatchObject({
      name: 'Agent',
      url: expect.stringMatching(/\/a2a$/) as string,
      capabilities: { streaming: true },
      supportsAuthenticatedExtendedCard: true,
      securitySchemes: expect.any(Object) as object,
      skills: [{ id: 'route' }],
    });
  });

  test('GET {url}/../agent/authenticatedExtendedCard with the token has all skills', async () => {
    const { get } = await start();
    const headers = { authorization: 'Bearer obtained-access-token' };
    const { status, json } = await get('/agent/authenticatedExtendedCard', headers);
    expect(status).toBe(200);
    expect(json).toMatchObject({ skills: [{ id: 'route' }, { id: 'traffic' }] });
  });

  test('GET {url}/../agent/authenticatedExtendedCard without a token is 401 with WWW-Authenticate', async () => {
    const { get } = await start();
    const { status, headers } = await get('/agent/authenticatedExtendedCard');
    expect([status, headers['www-authenticate']]).toEqual([401, expect.stringContaining('Bearer')]);
  });
});

describe('9.2 Basic Execution', () => {
  const JOKE = {
    jsonrpc: '2.0',
    id: 1,
    method: 'message/send',
    params: {
      message: {
        role: 'user',
        parts: [{ kind: 'text', text: 'tell me a joke' }],
        messageId: '9229e770-767c-417b-a0b0-f0741243c589',
      },
      metadata: {},
    },
  };
  const CHICKEN = 'Why did the chicken cross the road? To get to the other side!';

  test('a question gets a completed task with the artifact "joke" and the history', async () => {
    const { send } = await serveAgent(async () => ({ artifact: 'joke', text: CHICKEN }));
    expect(await send(JOKE)).toMatchObject({
      status: 200,
      json: {
        jsonrpc: '2.0',
        id: 1,
        result: {
          id: ID,
          contextId: ID,
          kind: 'task',
          status: { state: 'completed' },
          artifacts: [{ artifactId: ANY_TEXT, name: 'joke', parts: [text(CHICKEN)] }],
          history: [{ ...JOKE.params.message, kind: 'message', taskId: ID, contextId: ID }],
        },
      },
    });
  });

  test('a question gets a message without a task', async () => {
    const { send } = await serveAgent(async () => ({ reply: CHICKEN }));
    expect(resultOf(await send(JOKE))).toMatchObject({
      kind: 'message',
      role: 'agent',
      messageId: ID,
      contextId: ID,
      parts: [text(CHICKEN)],
    });
  });

  test('a longer task is polled by tasks/get with its id', async () => {
    const gate = deferred<void>();
    const { send } = await serveAgent(async () => {
      await gate.promise;
      return CHICKEN;
    });
    const configuration = { blocking: false };
    const { id } = resultOf(await send({ ...JOKE, params: { ...JOKE.params, configuration } }));
    const poll = { jsonrpc: '2.0', id: 2, method: 'tasks/get', params: { id } };
    await expect.poll(async () => resultOf(await send(poll))).toMatchObject({ status: { state: 'working' } });
    gate.resolve();
    await expect.poll(async () => resultOf(await send(poll))).toMatchObject({ id, status: { state: 'completed' } });
  });
});

describe('9.3 Streaming Task Execution', () => {
  const PAPER = {
    method: 'message/stream',
    params: {
      message: {
        role: 'user',
        parts: [
          { kind: 'text', text: 'write a long paper describing the attached pictures' },
          { kind: 'file', file: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } },
        ],
        messageId: 'bbb7dee1-cf5c-4683-8a6f-4114529da5eb',
      },
      metadata: {},
    },
  };
  // The example has `data` where section 6.6 has `bytes`. It is read, and written as `bytes`.
  const FILE = { kind: 'file', file: { mimeType: 'image/png', bytes: 'iVBORw0KGgo=' } };
  const write: Run = async function* run() {
    yield { artifact: 'paper', text: '<section 1...>' };
    yield { artifact: 'paper', text: '<section 2...>', append: true };
    yield { artifact: 'paper', text: '<section 3...>', append: true, lastChunk: true };
  };

  test('message/stream sends the task, three chunks with append and lastChunk, and a final status', async () => {
    const { send } = await serveAgent(write);
    const request = { jsonrpc: '2.0', id: 1, ...PAPER };
    const events = eventsOf(await send(request));
    const artifact = (section: number) => ({ artifact: { parts: [text(`<section ${section}...>`)] } });
    expect(events.filter(({ kind, final }) => kind !== 'status-update' || final === true)).toMatchObject([
      {
        kind: 'task',
        id: ID,
        contextId: ID,
        status: { state: 'submitted' },
        history: [{ parts: [PAPER.params.message.parts[0], FILE] }],
      },
      { kind: 'artifact-update', ...artifact(1), append: false },
      { kind: 'artifact-update', ...artifact(2), append: true },
      { kind: 'artifact-update', ...artifact(3), append: true, lastChunk: true },
      { kind: 'status-update', status: { state: 'completed' }, final: true },
    ]);
  });

  // Section 6.11 requires `jsonrpc`, and section 8.1 defines -32600 for a request without it.
  test('the request as printed, without jsonrpc and id, is rejected with -32600', async () => {
    const { send } = await serveAgent(write);
    expect(codeOf(await send(PAPER))).toBe(-32600);
  });
});

describe('9.4 Multi-Turn Interaction', () => {
  const QUESTION =
    'Sure, I can help with that! Where would you like to fly to, and from where? Also, what are your preferred travel dates?';
  const ANSWER = 'I want to fly from New York (JFK) to London (LHR) around October 10th, returning October 17th.';
  const ITINERARY = { confirmationId: 'XYZ123', from: 'JFK', to: 'LHR', departure: '2024-10-10T18:00:00Z' };

  test('message/send is answered with input-required, and completes after the answer with the same task id', async () => {
    const { send } = await serveAgent(async function* run({ ask }) {
      await ask(QUESTION);
      yield { artifact: 'FlightItinerary.json', data: ITINERARY };
    });
    // The specification prints `messageId` beside the message.
    const asked = await send({
      jsonrpc: '2.0',
      id: 'req-003',
      method: 'message/send',
      params: {
        message: { role: 'user', parts: [{ kind: 'text', text: "I'd like to book a flight." }] },
        messageId: 'c53ba666-3f97-433c-a87b-6084276babe2',
      },
    });
    expect(asked.json).toMatchObject({ id: 'req-003' });
    const { id, contextId, ...question } = resultOf(asked);
    expect(question).toMatchObject({
      kind: 'task',
      status: { state: 'input-required', message: { role: 'agent', parts: [text(QUESTION)], taskId: id, contextId } },
      history: [{ role: 'user', parts: [text("I'd like to book a flight.")], taskId: id, contextId }],
    });
    const done = resultOf(
      await send({
        jsonrpc: '2.0',
        id: 'req-004',
        method: 'message/send',
        params: {
          message: {
            role: 'user',
            parts: [{ kind: 'text', text: ANSWER }],
            contextId,
            taskId: id,
            messageId: '0db1d6c4-3976-40ed-b9b8-0043ea7a03d3',
          },
          configuration: { blocking: true },
        },
      }),
    );
    expect(done).toMatchObject({
      id,
      contextId,
      status: { state: 'completed' },
      artifacts: [{ name: 'FlightItinerary.json', parts: [{ kind: 'data', data: ITINERARY }] }],
    });
    const history = done['history'] as { readonly role: string; readonly parts: readonly unknown[] }[];
    expect(history.map(({ role, parts }) => [role, parts[0]])).toEqual([
      ['user', text("I'd like to book a flight.")],
      ['agent', text(QUESTION)],
      ['user', text(ANSWER)],
    ]);
  });
});

describe('9.5 Push Notification Setup and Usage', () => {
  test('the webhook gets the completed task with X-A2A-Notification-Token', async () => {
    const receiver = await startReceiver();
    const gate = deferred<void>();
    const { send } = await serveAgent(
      async () => {
        await gate.promise;
        return 'Q1 report';
      },
      { pushNotifications: true, push: { allowPrivate: [receiver.origin] } },
    );
    const configuration = {
      blocking: false,
      pushNotificationConfig: {
        url: `${receiver.origin}/webhook/a2a-notifications`,
        token: 'secure-client-token-for-task-aaa',
        authentication: { schemes: ['Bearer'] },
      },
    };
    const words = "Generate the Q1 sales report. This usually takes a while. Notify me when it's ready.";
    const message = { role: 'user', parts: [text(words)], messageId: '6dbc13b5-bd57-4c2b-b503-24e381b6c8d6' };
    const acknowledged = resultOf(
      await send({ jsonrpc: '2.0', id: 'req-005', method: 'message/send', params: { message, configuration } }),
    );
    expect((acknowledged['status'] as { readonly state: string }).state).toMatch(/^(submitted|working)$/);
    gate.resolve();
    const last = (): unknown => receiver.received.at(-1)?.json;
    await expect.poll(last).toMatchObject({
      id: acknowledged['id'],
      contextId: acknowledged['contextId'],
      kind: 'task',
      status: { state: 'completed' },
    });
    for (const { path, headers } of receiver.received) {
      expect(path).toBe('/webhook/a2a-notifications');
      expect(headers['content-type']).toMatch(/^application\/(a2a\+)?json/);
      expect(headers['x-a2a-notification-token']).toBe('secure-client-token-for-task-aaa');
    }
  });
});

describe('9.6 File Exchange', () => {
  test('an image is uploaded as bytes, and the result is a file with a uri', async () => {
    const uri = 'https://storage.example.com/processed/task-bbb/output.png?token=xyz';
    let size = 0;
    const { send } = await serveAgent(async ({ files }) => {
      size = (await files[0]?.bytes())?.length ?? 0;
      return { artifact: 'processed_image_with_faces.png', url: uri, filename: 'output.png', mediaType: 'image/png' };
    });
    const file = { name: 'input_image.png', mimeType: 'image/png', bytes: 'iVBORw0KGgoAAAANSUhEUgAAAAU=' };
    const parts = [text('Analyze this image and highlight any faces.'), { kind: 'file', file }];
    const message = { role: 'user', parts, messageId: '6dbc13b5-bd57-4c2b-b503-24e381b6c8d6' };
    const task = resultOf(await send({ jsonrpc: '2.0', id: 'req-007', method: 'message/send', params: { message } }));
    expect(task).toMatchObject({
      status: { state: 'completed' },
      artifacts: [
        {
          name: 'processed_image_with_faces.png',
          parts: [{ kind: 'file', file: { name: 'output.png', mimeType: 'image/png', uri } }],
        },
      ],
      kind: 'task',
    });
    expect(size).toBe(20);
  });
});

describe('9.7 Structured Data Exchange', () => {
  test('the metadata of a part reaches the agent, and its JSON text reaches the client', async () => {
    const tickets =
      '[{"ticketNumber":"REQ12312","description":"request for VPN access"},{"ticketNumber":"REQ23422","description":"Add to DL - team-gcp-onboarding"}]';
    const metadata = {
      mimeType: 'application/json',
      schema: {
        type: 'array',
        items: {
          type: 'object',
          properties: { ticketNumber: { type: 'string' }, description: { type: 'string' } },
        },
      },
    };
    let seen: unknown;
    const { send } = await serveAgent(async ({ message }) => {
      seen = message.parts[0]?.metadata;
      return tickets;
    });
    const parts = [{ kind: 'text', text: 'Show me a list of my open IT tickets', metadata }];
    const message = { role: 'user', parts, messageId: '85b26db5-ffbb-4278-a5da-a7b09dea1b47' };
    const answer = await send({ jsonrpc: '2.0', id: 9, method: 'message/send', params: { message, metadata: {} } });
    expect(seen).toEqual(metadata);
    expect(answer.json).toMatchObject({
      id: 9,
      result: { status: { state: 'completed' }, artifacts: [{ parts: [text(tickets)] }], kind: 'task' },
    });
  });
});

describe('7 Methods', () => {
  const message = { role: 'user', parts: [text('hi')], messageId: 'm-1' };
  const call = (method: string, params: unknown) => ({ jsonrpc: '2.0', id: 1, method, params });
  const waiting: Run = async ({ signal }) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
  };

  test('7.4 tasks/cancel gives the canceled task', async () => {
    const { send } = await serveAgent(waiting);
    const { id } = resultOf(await send(call('message/send', { message, configuration: { blocking: false } })));
    expect(resultOf(await send(call('tasks/cancel', { id })))).toMatchObject({ id, status: { state: 'canceled' } });
  });

  test('7.5–7.8 a push configuration is set, read, listed and deleted', async () => {
    const { send } = await serveAgent(waiting, {
      pushNotifications: true,
      push: { allowPrivate: ['http://127.0.0.1:*'] },
    });
    const { id } = resultOf(await send(call('message/send', { message, configuration: { blocking: false } })));
    const pushNotificationConfig = { url: 'http://127.0.0.1:9/hook', token: 't' };
    const method = (name: string) => `tasks/pushNotificationConfig/${name}`;
    const set = resultOf(await send(call(method('set'), { taskId: id, pushNotificationConfig })));
    expect(set).toMatchObject({ taskId: id, pushNotificationConfig });
    const { id: configId } = set['pushNotificationConfig'] as { readonly id: string };
    expect(resultOf(await send(call(method('get'), { id, pushNotificationConfigId: configId })))).toEqual(set);
    expect(resultOf(await send(call(method('list'), { id })))).toEqual([set]);
    const deleted = await send(call(method('delete'), { id, pushNotificationConfigId: configId }));
    expect(deleted.json).toMatchObject({ result: null });
    expect(resultOf(await send(call(method('list'), { id })))).toEqual([]);
  });

  test('7.9 tasks/resubscribe continues the stream of a task', async () => {
    const gate = deferred<void>();
    const { send, open } = await serveAgent(async function* run() {
      await gate.promise;
      yield 'later';
    });
    const { id } = resultOf(await send(call('message/send', { message, configuration: { blocking: false } })));
    const stream = await open(call('tasks/resubscribe', { id }));
    expect([stream.status, stream.headers['content-type']]).toEqual([200, 'text/event-stream']);
    gate.resolve();
    const last = (await stream.rest()).at(-1);
    expect(last?.json).toMatchObject({ result: { kind: 'status-update', taskId: id, final: true } });
  });
});

describe('8 Errors', () => {
  const call = (method: string, params: unknown) => ({ jsonrpc: '2.0', id: 1, method, params });
  const message = { role: 'user', parts: [text('hi')], messageId: 'm-1' };

  test.each<[number, string, unknown]>([
    [-32700, 'invalid JSON', '{"jsonrpc": "2.0", '],
    [-32600, 'JSON that is not a request', { jsonrpc: '2.0', id: 1 }],
    [-32601, 'the method "tasks/foo"', call('tasks/foo', {})],
    [-32602, 'params without a message', call('message/send', {})],
    [-32001, 'tasks/get of an unknown id', call('tasks/get', { id: 'unknown' })],
    [
      -32003,
      'tasks/pushNotificationConfig/set without push notifications',
      call('tasks/pushNotificationConfig/set', {
        taskId: 'unknown',
        pushNotificationConfig: { url: 'https://client.example.com/hook' },
      }),
    ],
  ])('%i for %s', async (code, _, body) => {
    const { send } = await serveAgent(async () => 'ok');
    expect(codeOf(await send(body))).toBe(code);
  });

  test('-32002 for tasks/cancel of a completed task', async () => {
    const { send } = await serveAgent(async () => 'ok');
    const { id } = resultOf(await send(call('message/send', { message })));
    expect(codeOf(await send(call('tasks/cancel', { id })))).toBe(-32002);
  });

  test('-32004 for message/stream of an agent without streams', async () => {
    const { send } = await serveAgent(async () => 'ok', { streaming: false });
    expect(codeOf(await send(call('message/stream', { message })))).toBe(-32004);
  });

  test('-32005 for a file of a type that the agent does not declare', async () => {
    const { send } = await serveAgent(async () => 'ok', {}, { inputModes: ['text/plain'] });
    const file = { mimeType: 'image/png', bytes: 'iVBORw0KGgo=' };
    const parts = [{ kind: 'file', file }];
    expect(codeOf(await send(call('message/send', { message: { ...message, parts } })))).toBe(-32005);
  });
});
