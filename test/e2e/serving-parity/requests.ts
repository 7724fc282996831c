/** One list of requests for every way to serve an agent: all operations, all versions, errors, cards, streams. */
import type { Ask } from '../kit/exchange.ts';
import { REST_03_KIND, WIRE_FORMATS, type WireFormat } from '../kit/wire-formats.ts';
import { rpc } from '../kit/wire-formats/rpc.ts';

/** Values from earlier responses: ids of tasks, and the ETag of the card. */
export type Captured = Record<string, string>;

export interface Item {
  readonly name: string;
  readonly ask: (captured: Captured) => Ask;
  /** The name under which later requests find the task of the response. */
  readonly capture?: string;
  /** Releases the held task before the request, so that the response ends. */
  readonly release?: true;
}

function conversation(format: WireFormat, name = format.name): readonly Item[] {
  const asked = `${name} asked`;
  const done = `${name} done`;
  const id = (captured: Captured, key: string): string => captured[key] ?? 'unknown';
  const item = (what: string, ask: Item['ask'], more: Partial<Item> = {}): Item => ({
    name: `${name}: ${what}`,
    ask,
    ...more,
  });
  return [
    item('send', () => format.send({ text: 'hello', messageId: 'm', historyLength: 3 }), { capture: done }),
    item('send, answered by a message', () => format.send({ text: 'reply hi', messageId: 'm' })),
    item('send, failed', () => format.send({ text: 'reject no', messageId: 'm' })),
    item('send, with a question back', () => format.send({ text: 'ask', messageId: 'm' }), { capture: asked }),
    item('get', (captured) => format.get(id(captured, asked), 2)),
    item('continue', (captured) => format.send({ text: 'Paris', messageId: 'm2', taskId: id(captured, asked) })),
    item('stream', () => format.stream({ text: 'story', messageId: 'm' })),
    item('stream, held for a while', () => format.stream({ text: 'hold on', messageId: 'm' }), { release: true }),
    item('stream to a question', () => format.stream({ text: 'ask', messageId: 'm' }), { capture: `${name} open` }),
    item('cancel', (captured) => format.cancel(id(captured, `${name} open`))),
    item('cancel of a finished task', (captured) => format.cancel(id(captured, done))),
    item('subscribe to a finished task', (captured) => format.subscribe(id(captured, done))),
    item('subscribe with Last-Event-ID', (captured) => {
      const ask = format.subscribe(id(captured, done));
      return { ...ask, headers: { ...ask.headers, 'last-event-id': '1' } };
    }),
    item('get of an unknown task', () => format.get('unknown')),
    item('a finished task, continued', (captured) =>
      format.send({ text: 'more', messageId: 'm', taskId: id(captured, done) }),
    ),
    item('invalid params', () => format.get('unknown', -1)),
    item('a stream that is rejected', () => format.stream({ parts: [], messageId: 'm' })),
  ];
}

const CARD = '/.well-known/agent-card.json';
const OLD_CARD = '/.well-known/agent.json';

function get(path: string, headers: Readonly<Record<string, string>> = {}): Item {
  return { name: `GET ${path} ${JSON.stringify(headers)}`, ask: () => ({ method: 'GET', path, headers }) };
}

const CARDS: readonly Item[] = [
  get(CARD),
  get(CARD, { 'a2a-version': '1.0' }),
  get(CARD, { 'a2a-version': '0.3' }),
  get(CARD, { 'a2a-version': '9.9' }),
  get(`${CARD}?A2A-Version=0.3`),
  get(OLD_CARD),
  get(OLD_CARD, { 'a2a-version': '0.1' }),
  get(CARD, { 'if-none-match': '*' }),
  get(CARD, { 'if-none-match': '"another"' }),
  get(CARD, { 'if-modified-since': 'Fri, 01 Jan 2100 00:00:00 GMT' }),
  get(CARD, { 'if-modified-since': 'Thu, 01 Jan 1970 00:00:00 GMT' }),
  {
    name: 'a card with the ETag of an earlier response',
    ask: (captured) => ({ method: 'GET', path: CARD, headers: { 'if-none-match': captured['etag'] ?? '' } }),
  },
  { name: 'HEAD of a card', ask: () => ({ method: 'HEAD', path: CARD }) },
  { name: 'OPTIONS of a card', ask: () => ({ method: 'OPTIONS', path: CARD }) },
  { name: 'POST to a card', ask: () => ({ method: 'POST', path: CARD, body: {} }) },
];

const MESSAGE = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'about' }] };
const HOOK = {
  id: 'c',
  url: 'https://example.com/hook',
  token: 't',
  authentication: { scheme: 'Bearer', credentials: 's' },
};
const configs = (captured: Captured): string => `/tasks/${captured['1.0 REST done']}/pushNotificationConfigs`;

function call(name: string, ask: Ask | Item['ask']): Item {
  return { name, ask: typeof ask === 'function' ? ask : () => ask };
}

const OPERATIONS: readonly Item[] = [
  call('list', rpc('1.0', 'ListTasks', { pageSize: 2, contextId: 'none' })),
  call('list over REST', { method: 'GET', path: '/tasks?contextId=none&includeArtifacts=true' }),
  call('list, rejected', { method: 'GET', path: '/tasks?pageSize=0' }),
  call('push: create', (captured) => ({ method: 'POST', path: configs(captured), body: HOOK })),
  call('push: get', (captured) => ({ method: 'GET', path: `${configs(captured)}/c` })),
  call('push: list', (captured) =>
    rpc('1.0', 'ListTaskPushNotificationConfigs', { taskId: captured['1.0 REST done'] }),
  ),
  call('push: delete', (captured) => ({ method: 'DELETE', path: `${configs(captured)}/c` })),
  call('push: delete over JSON-RPC', (captured) =>
    rpc('1.0', 'DeleteTaskPushNotificationConfig', { taskId: captured['1.0 REST done'], id: 'c' }),
  ),
  call('the extended card', { method: 'GET', path: '/extendedAgentCard' }),
  call('the extended card of 0.3', rpc('0.3', 'agent/getAuthenticatedExtendedCard')),
  call('a tenant in the path', { method: 'POST', path: '/%C3%9Cnser%20Haus/message:send', body: { message: MESSAGE } }),
  call('an extension', {
    ...rpc('1.0', 'SendMessage', { message: MESSAGE }),
    headers: { 'a2a-extensions': 'urn:stamps' },
  }),
  call('healthz', { method: 'GET', path: '/healthz' }),
  call('readyz', { method: 'HEAD', path: '/readyz' }),
];

const INVALID: readonly Item[] = [
  call('a body that is not JSON', { ...rpc('1.0', ''), body: '{' }),
  call('an empty body', { ...rpc('1.0', ''), body: '' }),
  call('a batch', { ...rpc('1.0', ''), body: '[]' }),
  call('no id', { ...rpc('1.0', ''), body: '{"jsonrpc":"2.0","method":"GetTask"}' }),
  call('an unknown method', rpc('1.0', 'DoMagic', {}, 'seven')),
  call('an unknown version', rpc('2.0', 'GetTask', { id: 't' })),
  call('an unknown version over REST', { method: 'GET', path: '/tasks/t', headers: { 'a2a-version': '2.0' } }),
  call('an unknown path', { method: 'GET', path: '/magic?x=1' }),
  call('a reserved tenant', { method: 'GET', path: '/metrics/tasks' }),
  call('a wrong HTTP method', { method: 'PUT', path: '/tasks/t:subscribe', body: {} }),
  call('GET of JSON-RPC', { method: 'GET', path: '/a2a' }),
  call('a wrong media type', { ...rpc('1.0', 'GetTask'), headers: { 'content-type': 'text/plain' } }),
  call('a wrong media type over REST', {
    method: 'POST',
    path: '/message:send',
    headers: { 'content-type': 'text/xml' },
    body: '<a/>',
  }),
  call(
    'a body that is too large',
    rpc('1.0', 'SendMessage', { message: { ...MESSAGE, parts: [{ text: 'x'.repeat(5000) }] } }),
  ),
  call('a body that is too large over REST', { method: 'POST', path: '/message:send', body: 'x'.repeat(5000) }),
  call('a long idempotency key', {
    ...rpc('1.0', 'SendMessage', { message: MESSAGE }),
    headers: { 'idempotency-key': 'k'.repeat(256) },
  }),
  call('broken percent-encoding', { method: 'GET', path: '/tasks/%E0%A4%A' }),
  call('encoded slashes and colons', { method: 'GET', path: '/tasks/a%2Fb%3Acancel' }),
];

export const REQUESTS: readonly Item[] = [
  ...WIRE_FORMATS.flatMap((format) => conversation(format)),
  ...conversation(REST_03_KIND, '0.3 REST by kind'),
  ...CARDS,
  ...OPERATIONS,
  ...INVALID,
];
