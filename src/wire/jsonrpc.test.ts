import fc from 'fast-check';
import { expect, test } from 'vitest';
import { verifies } from '../../test/helpers/verifies.ts';
import { A2AError, ERRORS } from '../errors.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import {
  decodeRequest,
  decodeResponse,
  encodeError,
  encodeRequest,
  encodeSuccess,
  parseRequest,
  successText,
} from './jsonrpc.ts';

const CALL = '"jsonrpc":"2.0","method":"GetTask"';
const anyId = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const anyObject = fc.dictionary(fc.string(), fc.jsonValue());

// Requests

test(verifies('B-04', 'a request is read into id, method and params'), () => {
  expect(parseRequest(`{${CALL},"id":"r1","params":{"id":"t1"}}`)).toEqual({
    id: 'r1',
    method: 'GetTask',
    params: { id: 't1' },
  });
});

test.each([
  ['not JSON', '{"jsonrpc":', 'The body is not valid JSON'],
  ['not JSON at all', 'hello', 'The body is not valid JSON'],
  ['empty', '', 'The body is empty'],
  ['blank', ' \r\n', 'The body is empty'],
])('a body that is %s is a parse error without an id', (_case, text, message) => {
  const request = parseRequest(text);
  expect(request.id).toBeNull();
  expect(request.error).toMatchObject({ code: 'PARSE_ERROR', message });
  expect(request.error?.cause).toBeInstanceOf(SyntaxError);
});

test.each([
  ['a string', '"GetTask"', null, 'request object'],
  ['a number', '1', null, 'request object'],
  ['null', 'null', null, 'request object'],
  ['true', 'true', null, 'request object'],
  ['a batch', `[{${CALL},"id":1}]`, null, 'A2A does not support JSON-RPC batches'],
  ['an empty batch', '[]', null, 'A2A does not support JSON-RPC batches'],
  ['an empty object', '{}', null, 'jsonrpc'],
  ['without jsonrpc', '{"id":1,"method":"GetTask"}', 1, 'jsonrpc'],
  ['without jsonrpc and id', '{"method":"message/stream","params":{}}', null, 'jsonrpc'],
  ['with jsonrpc as a number', '{"jsonrpc":2.0,"id":"a","method":"GetTask"}', 'a', 'jsonrpc'],
  ['of JSON-RPC 1.0', '{"jsonrpc":"1.0","id":2,"method":"GetTask"}', 2, 'jsonrpc'],
  ['with jsonrpc null', '{"jsonrpc":null,"id":2,"method":"GetTask"}', 2, 'jsonrpc'],
  ['with jsonrpc as an array', '{"jsonrpc":["2.0"],"id":2,"method":"GetTask"}', 2, 'jsonrpc'],
  ['without method', '{"jsonrpc":"2.0","id":3}', 3, 'method'],
  ['with an empty method', '{"jsonrpc":"2.0","id":3,"method":""}', 3, 'method'],
  ['with method as a number', '{"jsonrpc":"2.0","id":3,"method":5}', 3, 'method'],
  ['with method null', '{"jsonrpc":"2.0","id":3,"method":null}', 3, 'method'],
  ['with method as an array', '{"jsonrpc":"2.0","id":3,"method":["GetTask"]}', 3, 'method'],
  ['that is a notification', `{${CALL}}`, null, 'does not support JSON-RPC notifications'],
  ['with a boolean id', `{${CALL},"id":true}`, null, 'id'],
  ['with an object as id', `{${CALL},"id":{}}`, null, 'id'],
  ['with an array as id', `{${CALL},"id":[1]}`, null, 'id'],
  ['with an infinite id', `{${CALL},"id":1e400}`, null, 'id'],
  ['with a very long id', `{${CALL},"id":"${'x'.repeat(257)}"}`, null, 'id to have at most 256 characters'],
  ['with only a very long id', `{"id":"${'x'.repeat(257)}"}`, null, 'at most 256 characters'],
  ['with params by position', `{${CALL},"id":4,"params":["t1"]}`, 4, 'by name'],
  ['with params as a string', `{${CALL},"id":4,"params":"t1"}`, 4, 'params'],
  ['with params as a number', `{${CALL},"id":4,"params":0}`, 4, 'params'],
  ['with params as a boolean', `{${CALL},"id":4,"params":false}`, 4, 'params'],
  ['broken, with a null id', '{"jsonrpc":"2.0","id":null}', null, 'method'],
  ['broken in method and id', '{"jsonrpc":"2.0","id":{}}', null, 'id'],
])(verifies('B-04', 'a request %s is invalid'), (_case, text, id, message) => {
  for (const strict of [false, true]) {
    const request = parseRequest(text, { strict });
    expect(request.id).toBe(id);
    expect(request.error?.code).toBe('INVALID_REQUEST');
    expect(request.error?.message).toContain(message);
  }
});

test('the error for a request without an id contains what was received if the params are an object', () => {
  expect(parseRequest(`{${CALL},"params":{"id":"t1"}}`)).toMatchObject({
    id: null,
    error: { code: 'INVALID_REQUEST' },
    received: { method: 'GetTask', params: { id: 't1' } },
  });
  expect(parseRequest(`{${CALL},"params":[]}`)).not.toHaveProperty('received');
  expect(parseRequest('{"jsonrpc":"2.0"}')).not.toHaveProperty('received');
});

test.each([
  ['a string', '"r-1"', 'r-1'],
  ['an empty string', '""', ''],
  ['a string of digits', '"1"', '1'],
  ['a string of 256 characters', `"${'x'.repeat(256)}"`, 'x'.repeat(256)],
  ['an integer', '7', 7],
  ['zero', '0', 0],
  ['a negative integer', '-7', -7],
  ['the largest exact integer', '9007199254740991', 9007199254740991],
  ['null', 'null', null],
])('%s is accepted as an id and keeps its type', (_case, text, id) => {
  for (const strict of [false, true]) {
    const request = parseRequest(`{${CALL},"id":${text}}`, { strict });
    expect(request).toEqual({ id, method: 'GetTask', params: undefined });
    expect(JSON.stringify(encodeSuccess(request.id, null))).toBe(`{"jsonrpc":"2.0","id":${text},"result":null}`);
  }
});

test.each([
  ['fractional', '1.5', 1.5],
  ['too large to be exact', '9007199254740993', 9007199254740992],
])('a %s id is echoed as far as possible, and rejected in strict mode', (_case, text, id) => {
  expect(parseRequest(`{${CALL},"id":${text}}`)).toMatchObject({ id, method: 'GetTask' });
  const refused = parseRequest(`{${CALL},"id":${text}}`, { strict: true });
  expect(refused.id).toBeNull();
  expect(refused.error?.code).toBe('INVALID_REQUEST');
});

test.each([
  ['missing', `{${CALL},"id":1}`],
  ['null', `{${CALL},"id":1,"params":null}`],
])('params that are %s are passed to the method', (_case, text) => {
  expect(parseRequest(text)).toEqual({ id: 1, method: 'GetTask', params: undefined });
});

test('other members are ignored, even those of a response', () => {
  const text = `{${CALL},"id":1,"params":{},"result":{},"error":{"code":1},"trace":"x"}`;
  expect(parseRequest(text)).toEqual({ id: 1, method: 'GetTask', params: {} });
});

test('members named like prototype members neither replace others nor change a prototype', () => {
  const hidden = parseRequest('{"__proto__":{"jsonrpc":"2.0","id":1,"method":"GetTask"},"constructor":{"id":1}}');
  expect(hidden.id).toBeNull();
  expect(hidden.error?.code).toBe('INVALID_REQUEST');

  const request = parseRequest(`{${CALL},"id":1,"params":{"__proto__":{"evil":true},"constructor":"c"}}`);
  expect(request.error).toBeUndefined();
  const params = 'params' in request ? request.params : undefined;
  expect(JSON.stringify(params)).toBe('{"__proto__":{"evil":true},"constructor":"c"}');
  expect(({} as JsonObject)['evil']).toBeUndefined();
});

test('any JSON is decoded to a call or to an error that can be sent', () => {
  const envelope = fc.record(
    {
      jsonrpc: fc.constantFrom('2.0', 2),
      id: fc.jsonValue(),
      method: fc.jsonValue(),
      params: fc.jsonValue(),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), envelope), fc.boolean(), (json, strict) => {
      const request = decodeRequest(json, { strict });
      if (request.error !== undefined) expect(A2AError.is(request.error, 'INVALID_REQUEST')).toBe(true);
      else expect(request.method).not.toBe('');
      expect(JSON.parse(JSON.stringify({ id: request.id }))).toEqual({
        id: request.id === 0 ? 0 : request.id,
      });
    }),
  );
});

test('any text is decoded to a call or to an error that can be sent', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.json()), (text) => {
      const request = parseRequest(text);
      expect(request.error === undefined || A2AError.is(request.error)).toBe(true);
    }),
  );
});

test('a server decodes a request to what the client encoded', () => {
  fc.assert(
    fc.property(anyId, fc.string({ minLength: 1 }), fc.option(anyObject, { nil: undefined }), (id, method, params) => {
      const text = JSON.stringify(encodeRequest(id, method, params));
      expect(parseRequest(text)).toEqual({
        id: id === 0 ? 0 : id,
        method,
        params: params === undefined ? undefined : JSON.parse(JSON.stringify(params)),
      });
    }),
  );
});

test('a request without params is encoded without the member params', () => {
  expect(JSON.stringify(encodeRequest(1, 'GetExtendedAgentCard'))).toBe(
    '{"jsonrpc":"2.0","id":1,"method":"GetExtendedAgentCard"}',
  );
});

// Responses

test('a missing result is sent as null', () => {
  expect(encodeSuccess(1, undefined)).toEqual({ jsonrpc: '2.0', id: 1, result: null });
  expect(encodeSuccess(1, false)).toEqual({ jsonrpc: '2.0', id: 1, result: false });
});

test('wrapping serialised text gives the serialised envelope', () => {
  fc.assert(
    fc.property(fc.oneof(anyId, fc.constant(null)), fc.jsonValue(), (id, result) => {
      expect(successText(id, JSON.stringify(result))).toBe(JSON.stringify(encodeSuccess(id, result)));
    }),
  );
});

test('a client decodes a response to what the server encoded', () => {
  const error = fc.record(
    { code: fc.integer(), message: fc.string(), data: fc.jsonValue() as fc.Arbitrary<JsonValue> },
    { requiredKeys: ['code', 'message'] },
  );
  fc.assert(
    fc.property(anyId, fc.jsonValue(), error, (sent, result, failure) => {
      const id = sent === 0 ? 0 : sent;
      const json = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
      expect(decodeResponse(json(encodeSuccess(sent, result)))).toEqual({
        id,
        result: json(result),
        warnings: [],
      });
      expect(decodeResponse(json(encodeError(sent, failure)))).toEqual({
        id,
        error: json(failure),
        warnings: [],
      });
    }),
  );
});

test.each([
  ['null', null],
  ['false', false],
  ['an empty object', {}],
])('%s is decoded as a result', (_case, result) => {
  expect(decodeResponse({ jsonrpc: '2.0', id: 1, result }, { strict: true })).toEqual({
    id: 1,
    result,
    warnings: [],
  });
});

test('the id of a response is returned unchanged, because stream items may have another one', () => {
  expect(decodeResponse({ jsonrpc: '2.0', id: 0, result: {} }, { strict: true }).id).toBe(0);
  expect(decodeResponse({ jsonrpc: '2.0', id: null, result: {} }, { strict: true }).id).toBeNull();
  expect(decodeResponse({ jsonrpc: '2.0', id: 1.5, result: {} })).toEqual({
    id: 1.5,
    result: {},
    warnings: [],
  });
});

const FALLBACK = ERRORS.INTERNAL_ERROR.rpc;
const SILENT = 'The agent reported an error without a message';

test.each<[string, JsonObject, string, object]>([
  ['without jsonrpc', { id: 1, result: {} }, 'rpc-version', { id: 1, result: {} }],
  ['of another version', { jsonrpc: '1.0', id: 1, result: {} }, 'rpc-version', { id: 1, result: {} }],
  ['without an id', { jsonrpc: '2.0', result: {} }, 'rpc-id', { id: null, result: {} }],
  ['with an object as id', { jsonrpc: '2.0', id: {}, result: {} }, 'rpc-id', { id: null, result: {} }],
  [
    'with a result and an error',
    { jsonrpc: '2.0', id: 1, result: {}, error: { code: 5, message: 'no' } },
    'rpc-result-and-error',
    { id: 1, error: { code: 5, message: 'no' } },
  ],
  [
    'with a null result beside the error',
    { jsonrpc: '2.0', id: 1, result: null, error: { code: 5, message: 'no' } },
    'rpc-result-and-error',
    { id: 1, error: { code: 5, message: 'no' } },
  ],
  [
    'with a null error beside the result',
    { jsonrpc: '2.0', id: 1, result: 'r', error: null },
    'rpc-result-and-error',
    { id: 1, result: 'r' },
  ],
  [
    'with null as both',
    { jsonrpc: '2.0', id: 1, result: null, error: null },
    'rpc-result-and-error',
    { id: 1, result: null },
  ],
  [
    'with "no error" beside the result',
    { jsonrpc: '2.0', id: 1, result: 'r', error: false },
    'rpc-result-and-error',
    { id: 1, result: 'r' },
  ],
  [
    'whose error is a string',
    { jsonrpc: '2.0', id: 1, error: 'boom' },
    'rpc-error-shape',
    { id: 1, error: { code: FALLBACK, message: 'boom', data: 'boom' } },
  ],
  [
    'whose error has no code',
    { jsonrpc: '2.0', id: 1, error: { message: 'boom', data: { taskId: 't' } } },
    'rpc-error-shape',
    { id: 1, error: { code: FALLBACK, message: 'boom', data: { taskId: 't' } } },
  ],
  [
    'whose error code is no integer',
    { jsonrpc: '2.0', id: 1, error: { code: '-32001', message: 'boom' } },
    'rpc-error-shape',
    {
      id: 1,
      error: { code: FALLBACK, message: 'boom', data: { code: '-32001', message: 'boom' } },
    },
  ],
  [
    'whose error has no message',
    { jsonrpc: '2.0', id: 1, error: { code: ERRORS.TASK_NOT_FOUND.rpc, detail: 'gone' } },
    'rpc-error-shape',
    {
      id: 1,
      error: {
        code: ERRORS.TASK_NOT_FOUND.rpc,
        message: SILENT,
        data: { code: ERRORS.TASK_NOT_FOUND.rpc, detail: 'gone' },
      },
    },
  ],
  [
    'whose error is an array',
    { jsonrpc: '2.0', id: 1, error: ['boom'] },
    'rpc-error-shape',
    { id: 1, error: { code: FALLBACK, message: SILENT, data: ['boom'] } },
  ],
])('a response %s is decoded with a warning, and rejected in strict mode', (_case, json, warning, reply) => {
  const { warnings, ...read } = decodeResponse(json);
  expect(read).toEqual(reply);
  expect(warnings.map(({ code }) => code)).toEqual([warning]);
  expect(() => decodeResponse(json, { strict: true })).toThrow(
    expect.objectContaining({ code: 'INVALID_AGENT_RESPONSE' }),
  );
});

test('a string as error beside a null result is decoded as an error', () => {
  expect(decodeResponse({ jsonrpc: '2.0', id: 1, result: null, error: 'boom' })).toMatchObject({
    error: { code: FALLBACK, message: 'boom' },
  });
});

test('a response with a fractional id is rejected in strict mode', () => {
  expect(() => decodeResponse({ jsonrpc: '2.0', id: 1.5, result: {} }, { strict: true })).toThrow('id: expected');
});

test.each([
  ['nothing', undefined],
  ['null', null],
  ['a string', 'ok'],
  ['a batch', [{ jsonrpc: '2.0', id: 1, result: {} }]],
  ['an object with neither result nor error', { jsonrpc: '2.0', id: 1 }],
  ['an object with a null error only', { jsonrpc: '2.0', id: 1, error: null }],
  ['a request', { jsonrpc: '2.0', id: 1, method: 'GetTask' }],
])('%s is rejected as a response', (_case, json) => {
  expect(() => decodeResponse(json)).toThrow(expect.objectContaining({ code: 'INVALID_AGENT_RESPONSE' }));
});

test('any JSON is decoded to a response or to an A2AError', () => {
  const envelope = fc.record(
    { jsonrpc: fc.jsonValue(), id: fc.jsonValue(), result: fc.jsonValue(), error: fc.jsonValue() },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), envelope), fc.boolean(), (json, strict) => {
      try {
        const reply = decodeResponse(json, { strict });
        if (reply.error !== undefined) expect(Number.isSafeInteger(reply.error.code)).toBe(true);
        else expect(reply.result).not.toBeUndefined();
      } catch (error) {
        if (!A2AError.is(error, 'INVALID_AGENT_RESPONSE')) throw error;
      }
    }),
  );
});
