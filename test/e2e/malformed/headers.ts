import { gzipSync } from 'node:zlib';
import { call, JSON_TYPE, jsonText, type MalformedCase, VERSION_1 } from './case.ts';
import { accepted, bare, type Expected, plain, rest, rpc } from './expected.ts';

type Header = readonly [name: string, value: string];

const LIST = jsonText({ jsonrpc: '2.0', id: 'call', method: 'ListTasks', params: {} });
const MESSAGE = jsonText({ message: { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: 'hi' }] } });

function asks(name: string, headers: readonly Header[], answer: Expected): MalformedCase {
  return { name, request: { headers, body: LIST }, answer };
}

function sends(name: string, headers: readonly Header[], answer: Expected): MalformedCase {
  return { name: `REST, ${name}`, request: { path: '/message:send', headers, body: MESSAGE }, answer };
}

const rpcType = rpc('CONTENT_TYPE_NOT_SUPPORTED', 'Expected the header Content-Type: application/json', {
  status: 415,
  id: null,
});
const restType = rest('CONTENT_TYPE_NOT_SUPPORTED', 'Expected the header Content-Type: application/a2a+json', {
  status: 400,
});

const TYPES: readonly MalformedCase[] = [
  ...[
    'text/plain',
    'text/json',
    'application/xml',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'application/json-rpc',
    'application/vnd.api+json',
    'application/octet-stream',
    'application/json, text/plain',
    'application/json; charset=latin1',
    'application/json; charset=utf-16',
    'application/json; charset=',
    'application',
    '/',
    '*/*',
    '',
    'application/json\u00e9',
  ].flatMap((type) => [
    asks(`Content-Type: ${type}`, [VERSION_1, ['Content-Type', type]], rpcType),
    sends(`Content-Type: ${type}`, [['Content-Type', type]], restType),
  ]),
  asks('no Content-Type', [VERSION_1], rpcType),
  sends('no Content-Type', [], restType),
  asks('no Content-Type, no version', [], { ...rpcType, errorFormat: 'old' }),
  {
    name: 'REST 0.3, text/plain',
    request: { path: '/v1/message:send', headers: [['Content-Type', 'text/plain']], body: MESSAGE },
    answer: { ...restType, errorFormat: 'old', status: 415 },
  },
  ...[
    'application/json; charset=utf-8',
    'APPLICATION/JSON;Charset="UTF-8"',
    'application/a2a+json',
    ' application/json ;',
  ].flatMap((type) => [
    asks(`Content-Type: ${type}`, [VERSION_1, ['Content-Type', type]], accepted()),
    sends(`Content-Type: ${type}`, [['Content-Type', type]], accepted()),
  ]),
];

const packed = rpc(
  'CONTENT_TYPE_NOT_SUPPORTED',
  'Content-Encoding is not supported: send the request body uncompressed',
  {
    status: 415,
    id: null,
  },
);

const ENCODINGS: readonly MalformedCase[] = [
  ...['gzip', 'br', 'deflate', 'identity, gzip', 'nonsense'].map((coding) =>
    asks(`Content-Encoding: ${coding}`, [JSON_TYPE, VERSION_1, ['Content-Encoding', coding]], packed),
  ),
  {
    name: 'a compressed body with Content-Encoding',
    request: { headers: [JSON_TYPE, VERSION_1, ['Content-Encoding', 'gzip']], body: gzipSync(LIST) },
    answer: packed,
  },
  {
    name: 'a compressed body without Content-Encoding',
    request: { headers: [JSON_TYPE, VERSION_1], body: gzipSync(LIST) },
    answer: rpc('PARSE_ERROR', 'The request body is not valid UTF-8', { id: null }),
  },
  sends('Content-Encoding: gzip', [JSON_TYPE, ['Content-Encoding', 'gzip']], {
    ...restType,
    message: 'Content-Encoding is not supported: send the request body uncompressed',
  }),
  asks('Content-Encoding: identity', [JSON_TYPE, VERSION_1, ['Content-Encoding', 'identity']], accepted()),
];

const speaks = 'This agent supports A2A 0.1, 0.2, 0.3, 1.0';
const speaksRest = 'This agent supports A2A 0.3, 1.0 over REST';

const VERSIONS: readonly MalformedCase[] = [
  ...[
    'garbage',
    '1',
    '1.',
    '.0',
    'v1.0',
    '01.0',
    '1.00',
    '1.0.0.0',
    '1.0-beta',
    '-1.0',
    '2.0',
    '0.4',
    '0.0',
    '9.9.9',
    '1,0',
    '1.0 0.3',
    '99999999999999.0',
    '\u00ff\u00fe',
    '1.0\u00a0x',
    'x'.repeat(4000),
  ].flatMap((version) => [
    asks(
      `A2A-Version: ${version.slice(0, 30)}`,
      [JSON_TYPE, ['A2A-Version', version]],
      rpc('VERSION_NOT_SUPPORTED', speaks),
    ),
    sends(
      `A2A-Version: ${version.slice(0, 30)}`,
      [JSON_TYPE, ['A2A-Version', version]],
      rest('VERSION_NOT_SUPPORTED', speaksRest),
    ),
  ]),
  asks(
    'A2A-Version twice, and different',
    [JSON_TYPE, ['A2A-Version', '1.0'], ['A2A-Version', '0.3']],
    rpc('VERSION_NOT_SUPPORTED', speaks),
  ),
  asks('A2A-Version twice, and the same', [JSON_TYPE, VERSION_1, VERSION_1], rpc('VERSION_NOT_SUPPORTED', speaks)),
  sends('A2A-Version: 0.2', [JSON_TYPE, ['A2A-Version', '0.2']], rest('VERSION_NOT_SUPPORTED', speaksRest)),
  asks('A2A-Version: 1.0.7', [JSON_TYPE, ['A2A-Version', '1.0.7']], accepted()),
  asks('A2A-Version: " 1.0 "', [JSON_TYPE, ['A2A-Version', '  1.0  ']], accepted()),
  asks('A2A-Version, empty', [JSON_TYPE, ['A2A-Version', '']], accepted()),
  {
    name: 'A2A-Version in the query',
    request: { path: '/a2a?A2A-Version=7.0', headers: [JSON_TYPE], body: LIST },
    answer: rpc('VERSION_NOT_SUPPORTED', speaks),
  },
  {
    name: 'A2A-Version in header and query: the header counts',
    request: { path: '/a2a?A2A-Version=7.0', headers: [JSON_TYPE, VERSION_1], body: LIST },
    answer: accepted(),
  },
];

const keyLength = rpc('INVALID_REQUEST', 'Expected the header Idempotency-Key to have 1 to 255 characters');

const OTHERS: readonly MalformedCase[] = [
  asks('Idempotency-Key, very long', [JSON_TYPE, VERSION_1, ['Idempotency-Key', 'k'.repeat(8000)]], keyLength),
  asks('Idempotency-Key, 256', [JSON_TYPE, VERSION_1, ['Idempotency-Key', 'k'.repeat(256)]], keyLength),
  asks('Idempotency-Key, empty', [JSON_TYPE, VERSION_1, ['Idempotency-Key', '']], keyLength),
  asks('Idempotency-Key, 255', [JSON_TYPE, VERSION_1, ['Idempotency-Key', 'k'.repeat(255)]], accepted()),
  sends(
    'Idempotency-Key, very long',
    [JSON_TYPE, ['Idempotency-Key', 'k'.repeat(256)]],
    rest('INVALID_REQUEST', 'Idempotency-Key'),
  ),
  sends('Idempotency-Key, bytes', [JSON_TYPE, ['Idempotency-Key', '\u00e4\u00ff']], accepted()),
  ...['abc', '-1', '1.5', '99999999999999999999', '', '0x1', '\u00ff', 'x'.repeat(5000)].map((last) => ({
    name: `Last-Event-ID: ${last.slice(0, 30)}, of an unknown task`,
    request: {
      ...call('SubscribeToTask', { id: 'nobody' }),
      headers: [JSON_TYPE, VERSION_1, ['Last-Event-ID', last]] as const,
    },
    answer: rpc('TASK_NOT_FOUND', 'Task nobody does not exist'),
  })),
  ...['abc', '-1', '1.5', '99999999999999999999'].map((last) => ({
    name: `Last-Event-ID: ${last}: the response is the task itself`,
    request: { method: 'GET', path: '/tasks/$TASK:subscribe', headers: [['Last-Event-ID', last]] as const },
    answer: accepted(),
  })),
  ...['text/html', '', 'nonsense', '*/*;q=0', 'application/json;q=', 'text/event-stream', '\u00ff'].map((accept) =>
    asks(`Accept: ${accept}`, [JSON_TYPE, VERSION_1, ['Accept', accept]], accepted()),
  ),
  ...[',,,', ' , ', 'urn:x', '\u00ff', 'x'.repeat(5000)].map((uris) =>
    asks(`A2A-Extensions: ${uris.slice(0, 30)}`, [JSON_TYPE, VERSION_1, ['A2A-Extensions', uris]], accepted()),
  ),
  asks(
    'Authorization for an agent without auth',
    [JSON_TYPE, VERSION_1, ['Authorization', 'Basic \u00ff']],
    accepted(),
  ),
  asks('X-Forwarded-Host without a proxy', [JSON_TYPE, VERSION_1, ['X-Forwarded-Host', 'evil.example']], accepted()),
  asks('X-HTTP-Method-Override', [JSON_TYPE, VERSION_1, ['X-HTTP-Method-Override', 'DELETE']], accepted()),
  {
    name: 'If-None-Match, invalid',
    request: { method: 'GET', path: '/.well-known/agent-card.json', headers: [['If-None-Match', 'W/,"",\u00ff']] },
    answer: accepted(),
  },
  {
    name: 'If-Modified-Since, invalid',
    request: { method: 'GET', path: '/.well-known/agent-card.json', headers: [['If-Modified-Since', 'yesterday']] },
    answer: accepted(),
  },
];

/** Cases that only a socket can express. */
const HOSTS: readonly MalformedCase[] = [
  ...[
    'evil.example',
    'evil.example:80',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    '',
    ':80',
    'localhost:x',
    '0.0.0.0',
    '[::2]',
    '\u00ff',
    'localhost@evil',
    '127.0.0.1, evil',
  ].map((host) =>
    asks(
      `Host: ${host}`,
      [JSON_TYPE, VERSION_1, ['Host', host]],
      plain(421, 'This agent is not served under the host'),
    ),
  ),
  asks(
    'Host twice',
    [JSON_TYPE, VERSION_1, ['Host', '127.0.0.1'], ['host', 'evil']],
    plain(400, 'Expected exactly one Host header'),
  ),
  asks('Host: LOCALHOST:1', [JSON_TYPE, VERSION_1, ['Host', 'LOCALHOST:1']], accepted()),
  asks('Host: [::1]', [JSON_TYPE, VERSION_1, ['Host', '[::1]']], accepted()),
  {
    name: 'an absolute URL of another host as the path',
    request: { method: 'GET', path: 'http://evil.example/tasks' },
    answer: plain(421, 'This agent is not served under the host'),
  },
  {
    name: 'an absolute URL as the path',
    request: { method: 'GET', path: 'http://localhost/tasks' },
    answer: accepted(),
  },
  asks('Expect: nonsense', [JSON_TYPE, VERSION_1, ['Expect', '200-ok']], bare(417)),
].map((each) => ({ ...each, socketOnly: true as const }));

export const HEADERS: readonly MalformedCase[] = [...TYPES, ...ENCODINGS, ...VERSIONS, ...OTHERS, ...HOSTS];
