import {
  BEYOND_NUMBERS,
  call,
  deep,
  JSON_TYPE,
  type MalformedCase,
  MISSING,
  jsonText,
  shown,
  VERSION_1,
  withValue,
} from './case.ts';
import { accepted, type Expected, rpc } from './expected.ts';

const HEADERS = [JSON_TYPE, VERSION_1] as const;
const VALID = { jsonrpc: '2.0', id: 'call', method: 'ListTasks', params: {} };
const PROTOTYPE_KEY = '__proto__';

function body(name: string, content: string | Uint8Array, answer: Expected): MalformedCase {
  return { name, request: { headers: HEADERS, body: content }, answer };
}

const notJson = rpc('PARSE_ERROR', 'The body is not valid JSON', { id: null });
const notUtf8 = rpc('PARSE_ERROR', 'The request body is not valid UTF-8', { id: null });
const empty = rpc('PARSE_ERROR', 'The body is empty', { id: null });
const notObject = rpc('INVALID_REQUEST', 'Expected a JSON-RPC request object', { id: null });
const batch = rpc('INVALID_REQUEST', 'A2A does not support JSON-RPC batches', { id: null });

/** Bodies that are not JSON, or not an object. */
const TEXTS: readonly MalformedCase[] = [
  body('nothing', '', empty),
  body('a line break', '\r\n', empty),
  body('an open brace', '{', notJson),
  body('a truncated request', jsonText(VALID).slice(0, -1), notJson),
  body('a request cut inside a text', '{"jsonrpc":"2.0","id":"ca', notJson),
  body('a comma too many', '{"jsonrpc":"2.0","id":"call","method":"ListTasks",}', notJson),
  body('single quotes', "{'jsonrpc':'2.0'}", notJson),
  body('a comment', `/* hello */ ${jsonText(VALID)}`, notJson),
  body('names without quotes', '{jsonrpc:"2.0"}', notJson),
  body('two requests in one body', `${jsonText(VALID)}\n${jsonText(VALID)}`, notJson),
  body('a byte order mark', `\ufeff${jsonText(VALID)}`, notJson),
  body('NaN', '{"jsonrpc":"2.0","id":NaN,"method":"ListTasks"}', notJson),
  body('a number with a leading zero', '{"jsonrpc":"2.0","id":01,"method":"ListTasks"}', notJson),
  body('a control character in a text', '{"jsonrpc":"2.0","id":"a\u0001","method":"ListTasks"}', notJson),
  body('a NUL after the end', `${jsonText(VALID)}\0`, notJson),
  body('a form', 'jsonrpc=2.0&id=call&method=ListTasks', notJson),
  body('a page', '<html><body>hello</body></html>', notJson),
  body('lists that are never closed', '['.repeat(2000), notJson),
  body('objects that are never closed', '{"a":'.repeat(2000), notJson),
  body('UTF-16', Buffer.from(jsonText(VALID), 'utf16le'), notJson),
  body('UTF-16 with its mark', Buffer.from(`\ufeff${jsonText(VALID)}`, 'utf16le'), notUtf8),
  body('a byte that is not UTF-8', Buffer.from('{"jsonrpc":"2.0","id":"\xff"}', 'latin1'), notUtf8),
  body('half a character at the end', Buffer.from([0x22, 0xe2, 0x82]), notUtf8),
  body('an overlong slash', Buffer.from([0x22, 0xc0, 0xaf, 0x22]), notUtf8),
  body('half a surrogate pair as bytes', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), notUtf8),
  body('null', 'null', notObject),
  body('true', 'true', notObject),
  body('a number', '42', notObject),
  body('a text', '"ListTasks"', notObject),
  body('an empty object', '{}', rpc('INVALID_REQUEST', 'jsonrpc', { id: null })),
  body('an empty batch', '[]', batch),
  body('a batch of one', jsonText([VALID]), batch),
  body('a batch of nonsense', '[1,2,3]', batch),
  body('lists, 2,000 deep', deep(2000, 'lists').text, batch),
  body('objects, 2,000 deep', deep(2000).text, rpc('INVALID_REQUEST', 'jsonrpc', { id: null })),
];

const tooDeep = rpc('INVALID_REQUEST', 'The body nests deeper than 80 levels', { id: null });
const tooMany = rpc('INVALID_REQUEST', 'The body has more than 500000 opening brackets, commas and colons', {
  id: null,
});

/** Bodies whose shape would cost the parser far more than their size; they are rejected before they are parsed. */
const SHAPES: readonly MalformedCase[] = [
  body('200,000 lists that are never closed', '['.repeat(200_000), tooDeep),
  body('200,000 objects that are never closed', '{"a":'.repeat(200_000), tooDeep),
  body('lists, 200,000 deep', deep(200_000, 'lists').text, tooDeep),
  body('an id of lists, 200,000 deep', jsonText({ ...VALID, id: deep(200_000, 'lists') }), tooDeep),
  body('params of lists, 200,000 deep', jsonText({ ...VALID, params: deep(200_000, 'lists') }), tooDeep),
  body('a member that nobody knows, 10,000 deep', jsonText({ ...VALID, extra: deep(10_000) }), tooDeep),
  body('600,000 empty objects', `[${'{},'.repeat(600_000)}{}]`, tooMany),
  body('600,000 members', `{${'"":1,'.repeat(600_000)}"":1}`, tooMany),
];

/** Each member of the envelope with each kind of wrong value. */
const MEMBERS: readonly MalformedCase[] = [
  ...wrong(
    'jsonrpc',
    [MISSING, null, 2, '1.0', '2', '2.0 ', ['2.0'], {}, true, deep(2000)],
    'the string "2.0"',
    'call',
  ),
  ...wrong('id', [MISSING], 'the member id', null),
  ...wrong('id', [{}, [], true, false, BEYOND_NUMBERS, deep(2000, 'lists')], 'a string, an integer or null', null),
  ...wrong('method', [MISSING, null, 5, '', {}, ['ListTasks'], true, deep(2000)], 'the member method', 'call'),
  ...wrong('params', [[], [{}], deep(2000, 'lists')], 'not by position', 'call'),
  ...wrong('params', ['x', 5, true, ''], 'params to be an object', 'call'),
];

function wrong(
  member: string,
  values: readonly unknown[],
  message: string,
  id: string | null,
): readonly MalformedCase[] {
  return values.map((value) =>
    body(
      `${member}: ${shown(value)}`,
      jsonText(withValue(VALID, member, value)),
      rpc('INVALID_REQUEST', message, { id }),
    ),
  );
}

const METHODS: readonly MalformedCase[] = [
  'listtasks',
  'ListTasks ',
  ' ListTasks',
  'ListTasks\0',
  'a2a.ListTasks',
  'rpc.discover',
  'message/send',
  PROTOTYPE_KEY,
  'constructor',
  'toString',
  'hasOwnProperty',
  '../ListTasks',
  '\ud800',
  'x'.repeat(100_000),
].map((method) => ({
  name: `method: ${shown(method)}`,
  request: call(method, {}),
  answer: rpc('METHOD_NOT_FOUND', 'A2A 1.0 has no method'),
}));

/** Unusual requests, most of which are valid. */
const ODD: readonly MalformedCase[] = [
  ...[null, '', 0, -1, 1.5, 2 ** 53, 'ä\u2028', PROTOTYPE_KEY, 'x'.repeat(256)].map((id) =>
    body(`id: ${shown(id)}`, jsonText({ ...VALID, id }), accepted()),
  ),
  body(
    'an id of 257 characters',
    jsonText({ ...VALID, id: 'x'.repeat(257) }),
    rpc('INVALID_REQUEST', 'at most 256', { id: null }),
  ),
  body('params: null', jsonText({ ...VALID, params: null }), accepted()),
  body('no params for a method that requires none', jsonText(withValue(VALID, 'params', MISSING)), accepted()),
  body('white space around the request', ` \n\t${jsonText(VALID)}\r\n`, accepted()),
  body('unknown members of the envelope', jsonText({ ...VALID, result: 1, error: {}, extra: null }), accepted()),
  body('a member twice: the last counts', '{"jsonrpc":"1","jsonrpc":"2.0","id":1,"method":"ListTasks"}', accepted()),
  body(
    '__proto__ in place of the envelope',
    '{"__proto__":{"jsonrpc":"2.0","id":1,"method":"ListTasks"}}',
    rpc('INVALID_REQUEST', 'jsonrpc', { id: null }),
  ),
  body(
    '__proto__ in place of the params',
    '{"jsonrpc":"2.0","id":"call","method":"GetTask","params":{"__proto__":{"id":"$TASK"}}}',
    rpc('INVALID_PARAMS', 'the member id', { field: 'id' }),
  ),
  body(
    'no params for a method that requires them',
    '{"jsonrpc":"2.0","id":"call","method":"GetTask"}',
    rpc('INVALID_PARAMS', 'the member id', { field: 'id' }),
  ),
  ...[10, 100, 2000].map((levels) =>
    body(`${levels} levels in an unknown member`, jsonText({ ...VALID, extra: deep(levels) }), accepted()),
  ),
  ...[10, 100, 2000].map((levels) =>
    body(
      `${levels} levels in unknown params`,
      jsonText(withValue(VALID, 'params.extra', deep(levels, 'lists'))),
      accepted(),
    ),
  ),
];

/** A request without a version gets an error of 0.3, because 0.3 is the default. */
const UNVERSIONED: readonly MalformedCase[] = [
  { name: 'no version: an empty body', content: '', code: 'PARSE_ERROR', message: 'empty' } as const,
  {
    name: 'no version: a truncated request',
    content: '{"id":',
    code: 'PARSE_ERROR',
    message: 'not valid JSON',
  } as const,
  { name: 'no version: a batch', content: '[]', code: 'INVALID_REQUEST', message: 'batches' } as const,
].map(({ name, content, code, message }) => ({
  name,
  request: { headers: [JSON_TYPE], body: content },
  answer: rpc(code, message, { errorFormat: 'old', id: null }),
}));

export const ENVELOPES: readonly MalformedCase[] = [
  ...TEXTS,
  ...SHAPES,
  ...MEMBERS,
  ...METHODS,
  ...ODD,
  ...UNVERSIONED,
];
