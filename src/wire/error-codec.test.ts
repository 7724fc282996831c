import fc from 'fast-check';
import { expect, test } from 'vitest';
import { A2AError, type ErrorCode } from '../errors.ts';
import type { JsonValue } from '../model/json.ts';
import { createErrorCodec } from './error-codec.ts';

/** A small dialect: one number is reused, one status is changed, facts are not translated. */
const codec = createErrorCodec({
  rpc: { EXTENSION_SUPPORT_REQUIRED: -32004 },
  http: { TASK_NOT_CANCELABLE: 409 },
  data: (error) => (error.details['quiet'] === 'yes' ? undefined : { reason: error.code }),
  restBody: (error, numbers) => ({ ...numbers, message: error.message }),
});

test('errors are encoded with the number of the dialect, else with that of the table', () => {
  expect(codec.encodeRpc(new A2AError('EXTENSION_SUPPORT_REQUIRED', 'x'))).toMatchObject({ code: -32004 });
  expect(codec.encodeRpc(new A2AError('TASK_NOT_CANCELABLE', 'x'))).toMatchObject({ code: -32002 });
  expect(codec.encodeRest(new A2AError('TASK_NOT_CANCELABLE', 'x'))).toEqual({
    status: 409,
    body: { rpc: -32002, http: 409, message: 'x' },
  });
  expect(codec.encodeRest(new A2AError('TASK_NOT_FOUND', 'x'))).toMatchObject({ status: 404, body: { rpc: -32001 } });
});

test('an unsupported media type has the same status in a header as in a part of a message', () => {
  const ofHeaders = new A2AError('CONTENT_TYPE_NOT_SUPPORTED', 'x', { details: { header: 'content-type' } });
  expect(codec.encodeRest(ofHeaders)).toMatchObject({ status: 400, body: { http: 400 } });
  const ofPart = new A2AError('CONTENT_TYPE_NOT_SUPPORTED', 'x', { details: { mediaType: 'image/png' } });
  expect(codec.encodeRest(ofPart)).toMatchObject({ status: 400, body: { http: 400 } });
});

test('an error without data is encoded without the member data', () => {
  const error = new A2AError('TASK_NOT_FOUND', 'gone', { details: { quiet: 'yes' } });
  expect(codec.encodeRpc(error)).toStrictEqual({ code: -32001, message: 'gone' });
});

// Decoding JSON-RPC

test.each<[string, number, unknown, ErrorCode]>([
  ['a number', -32001, undefined, 'TASK_NOT_FOUND'],
  ['the reason before the number', -32001, { reason: 'VERSION_NOT_SUPPORTED' }, 'VERSION_NOT_SUPPORTED'],
  ['a reused number means its official error', -32004, undefined, 'UNSUPPORTED_OPERATION'],
  [
    'the reason identifies the error that reuses it',
    -32004,
    { reason: 'EXTENSION_SUPPORT_REQUIRED' },
    'EXTENSION_SUPPORT_REQUIRED',
  ],
  ['a number that the dialect reassigned', -32008, undefined, 'INTERNAL_ERROR'],
  ['a shared number means the general error', -32600, undefined, 'INVALID_REQUEST'],
  ['another shared number', -32603, undefined, 'INTERNAL_ERROR'],
  ["the server's own number says nothing", -32000, undefined, 'INTERNAL_ERROR'],
  ["the server's own number with a reason", -32000, { reason: 'UNAUTHENTICATED' }, 'UNAUTHENTICATED'],
  ['an unknown number', -32050, undefined, 'INTERNAL_ERROR'],
  ['a number that is not a JSON-RPC code', 404, undefined, 'INTERNAL_ERROR'],
  ['data with an unknown reason', -32002, { reason: 'Task is done' }, 'TASK_NOT_CANCELABLE'],
])('a JSON-RPC error is decoded: %s', (_case, number, data, code) => {
  const object = { code: number, message: 'no', ...(data !== undefined && { data: data as { reason: string } }) };
  expect(codec.decodeRpc(object)).toMatchObject({ name: 'A2AError', code, message: 'no', cause: object });
});

// Decoding REST, with responses of real peers

const INFO = { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', domain: 'a2a-protocol.org' };

test.each<[string, number, unknown, ErrorCode, string]>([
  [
    '1.0.1',
    404,
    { error: { code: 404, status: 'NOT_FOUND', message: 'no', details: [{ ...INFO, reason: 'TASK_NOT_FOUND' }] } },
    'TASK_NOT_FOUND',
    'no',
  ],
  [
    '1.0.0, which had 409',
    409,
    {
      error: {
        code: 409,
        status: 'FAILED_PRECONDITION',
        message: 'no',
        details: [{ ...INFO, reason: 'TASK_NOT_CANCELABLE' }],
      },
    },
    'TASK_NOT_CANCELABLE',
    'no',
  ],
  [
    '1.0.0 without details, 409',
    409,
    { error: { code: 409, status: 'FAILED_PRECONDITION', message: 'no' } },
    'TASK_NOT_CANCELABLE',
    'no',
  ],
  ['1.0.0 without details, 415', 415, { error: { code: 415, message: 'no' } }, 'CONTENT_TYPE_NOT_SUPPORTED', 'no'],
  [
    '1.0.0 without details, 502',
    502,
    { error: { code: 502, status: 'INTERNAL', message: 'no' } },
    'INVALID_AGENT_RESPONSE',
    'no',
  ],
  [
    '1.0.0, UNIMPLEMENTED',
    400,
    {
      error: {
        code: 400,
        status: 'UNIMPLEMENTED',
        message: 'no',
        details: [{ ...INFO, reason: 'VERSION_NOT_SUPPORTED' }],
      },
    },
    'VERSION_NOT_SUPPORTED',
    'no',
  ],
  ['a status name alone', 400, { error: { status: 'NOT_FOUND', message: 'no' } }, 'TASK_NOT_FOUND', 'no'],
  [
    'a status name before the status',
    400,
    { error: { status: 'RESOURCE_EXHAUSTED' } },
    'RATE_LIMIT_EXCEEDED',
    'HTTP 400',
  ],
  ['problem+json', 404, { type: 'about:blank', title: 'Not Found', status: 404, detail: 'no' }, 'TASK_NOT_FOUND', 'no'],
  ['problem+json with a title only', 400, { title: 'Bad Request', status: 400 }, 'INVALID_PARAMS', 'Bad Request'],
  ['SDK Python', 501, { message: 'no' }, 'UNSUPPORTED_OPERATION', 'no'],
  ['SDK Python, invalid params', 422, { message: 'no' }, 'INVALID_PARAMS', 'no'],
  ['FastAPI', 404, { detail: 'Not Found' }, 'TASK_NOT_FOUND', 'Not Found'],
  ['SDK JS', 500, { code: -32005, message: 'no', data: { a: 1 } }, 'CONTENT_TYPE_NOT_SUPPORTED', 'no'],
  [
    'SDK JS with a reason',
    400,
    { code: -32004, message: 'no', data: { reason: 'EXTENSION_SUPPORT_REQUIRED' } },
    'EXTENSION_SUPPORT_REQUIRED',
    'no',
  ],
  ['the RxJS agent', 500, { error: { code: 500, message: 'no' } }, 'INTERNAL_ERROR', 'no'],
  ['selectools', 401, { error: { message: 'no' } }, 'UNAUTHENTICATED', 'no'],
  ['an error that is a text', 403, { error: 'no' }, 'PERMISSION_DENIED', 'no'],
  ['an error beside its message', 429, { error: { code: 429 }, message: 'no' }, 'RATE_LIMIT_EXCEEDED', 'no'],
  ['no body', 503, undefined, 'UNAVAILABLE', 'HTTP 503'],
  ['a gateway', 502, '<html>', 'UNAVAILABLE', 'HTTP 502: a gateway got no response from the agent'],
  ['a gateway timeout', 504, '<html>', 'UNAVAILABLE', 'HTTP 504: a gateway got no response from the agent'],
  ['a gateway with a text', 502, { message: 'no' }, 'UNAVAILABLE', 'no'],
  ['an agent of 0.3, 502', 502, { code: -32006, message: 'no' }, 'INVALID_AGENT_RESPONSE', 'no'],
  ['too large', 413, null, 'PAYLOAD_TOO_LARGE', 'HTTP 413'],
  ['the wrong method', 405, [], 'METHOD_NOT_ALLOWED', 'HTTP 405'],
  ['an unknown status', 418, {}, 'INTERNAL_ERROR', 'HTTP 418'],
  ['an empty message', 404, { message: '' }, 'TASK_NOT_FOUND', 'HTTP 404'],
  ["the server's own number, told by the status", 401, { code: -32000, message: 'no' }, 'UNAUTHENTICATED', 'no'],
  ['names of Object.prototype', 500, { status: 'constructor', message: 'no' }, 'INTERNAL_ERROR', 'no'],
])('a REST error is decoded: %s', (_case, status, body, code, message) => {
  const error = codec.decodeRest(status, body);
  expect(error).toMatchObject({ name: 'A2AError', code, message });
  expect(error.cause).toBe(body);
});

test("facts in the body of a peer's error become details of the error", () => {
  const data = { taskId: 't1', fieldViolations: [{ field: 'id', description: 'expected a string' }] };
  expect(codec.decodeRest(400, { code: -32602, message: 'no', data })).toMatchObject({
    details: { taskId: 't1' },
    violations: data.fieldViolations,
  });
});

test('any error of a peer becomes an A2AError with a known code', () => {
  const json = fc.jsonValue() as fc.Arbitrary<JsonValue>;
  fc.assert(
    fc.property(fc.integer({ min: 100, max: 599 }), json, json, (status, body, inner) => {
      for (const sent of [body, { error: body, status: inner }, { error: { code: inner, details: body } }]) {
        expect(A2AError.is(codec.decodeRest(status, sent))).toBe(true);
      }
      expect(A2AError.is(codec.decodeRpc({ code: status, message: '', data: body }))).toBe(true);
    }),
  );
});
