import { expect, test } from 'vitest';
import { verifies } from '../../../test/helpers/verifies.ts';
import { A2AError, type ErrorCode, ERRORS } from '../../errors.ts';
import { errors } from './index.ts';

const ERROR_INFO = 'type.googleapis.com/google.rpc.ErrorInfo';

/** 1.0 §5.4 as of 1.0.1, then our choice for the generic ones. */
const TABLE: readonly (readonly [ErrorCode, number, number, string])[] = [
  ['TASK_NOT_FOUND', -32001, 404, 'NOT_FOUND'],
  ['TASK_NOT_CANCELABLE', -32002, 400, 'FAILED_PRECONDITION'],
  ['PUSH_NOTIFICATION_NOT_SUPPORTED', -32003, 400, 'FAILED_PRECONDITION'],
  ['UNSUPPORTED_OPERATION', -32004, 400, 'FAILED_PRECONDITION'],
  ['CONTENT_TYPE_NOT_SUPPORTED', -32005, 400, 'INVALID_ARGUMENT'],
  ['INVALID_AGENT_RESPONSE', -32006, 500, 'INTERNAL'],
  ['EXTENDED_AGENT_CARD_NOT_CONFIGURED', -32007, 400, 'FAILED_PRECONDITION'],
  ['EXTENSION_SUPPORT_REQUIRED', -32008, 400, 'FAILED_PRECONDITION'],
  ['VERSION_NOT_SUPPORTED', -32009, 400, 'FAILED_PRECONDITION'],
  ['PARSE_ERROR', -32700, 400, 'INVALID_ARGUMENT'],
  ['INVALID_REQUEST', -32600, 400, 'INVALID_ARGUMENT'],
  ['METHOD_NOT_FOUND', -32601, 404, 'NOT_FOUND'],
  ['INVALID_PARAMS', -32602, 400, 'INVALID_ARGUMENT'],
  ['INTERNAL_ERROR', -32603, 500, 'INTERNAL'],
  ['UNAUTHENTICATED', -32000, 401, 'UNAUTHENTICATED'],
  ['PERMISSION_DENIED', -32000, 403, 'PERMISSION_DENIED'],
  ['RATE_LIMIT_EXCEEDED', -32000, 429, 'RESOURCE_EXHAUSTED'],
  ['METHOD_NOT_ALLOWED', -32600, 405, 'UNIMPLEMENTED'],
  ['REQUEST_TIMEOUT', -32600, 408, 'DEADLINE_EXCEEDED'],
  ['PAYLOAD_TOO_LARGE', -32600, 413, 'RESOURCE_EXHAUSTED'],
  ['UNAVAILABLE', -32603, 503, 'UNAVAILABLE'],
  ['DISCOVERY_FAILED', -32603, 502, 'UNAVAILABLE'],
  ['TRANSPORT_FAILED', -32603, 502, 'UNAVAILABLE'],
  ['TIMEOUT', -32603, 504, 'DEADLINE_EXCEEDED'],
  ['TASK_FAILED', -32603, 502, 'ABORTED'],
  ['INPUT_REQUIRED', -32603, 502, 'FAILED_PRECONDITION'],
  ['AUTH_REQUIRED', -32603, 502, 'FAILED_PRECONDITION'],
];

function infoOf(reason: ErrorCode) {
  return { '@type': ERROR_INFO, reason, domain: 'a2a-protocol.org', metadata: { taskId: 't1' } };
}

test('the table of this test contains every error code', () => {
  expect(TABLE.map(([code]) => code).toSorted()).toEqual(Object.keys(ERRORS).toSorted());
});

test.each(TABLE)(verifies(['E-03', 'E-06', 'E-09'], '%s over JSON-RPC'), (code, rpc) => {
  const wire = errors.encodeRpc(new A2AError(code, 'no', { details: { taskId: 't1' } }));
  expect(wire).toEqual({ code: rpc, message: 'no', data: [infoOf(code)] });
  expect(errors.decodeRpc(wire)).toMatchObject({ code, message: 'no', details: { taskId: 't1' }, cause: wire });
});

test.each(TABLE)(verifies(['E-03', 'E-06', 'E-08'], '%s over REST'), (code, _rpc, http, grpc) => {
  const { status, body } = errors.encodeRest(new A2AError(code, 'no', { details: { taskId: 't1' } }));
  expect(status).toBe(http);
  expect(body).toEqual({ error: { code: http, status: grpc, message: 'no', details: [infoOf(code)] } });
  expect(errors.decodeRest(status, body)).toMatchObject({
    code,
    message: 'no',
    details: { taskId: 't1' },
    cause: body,
  });
});

test.each(TABLE.filter(([, rpc]) => rpc <= -32001 && rpc >= -32009))(
  '%s is decoded from its number alone',
  (code, rpc) => {
    expect(errors.decodeRpc({ code: rpc, message: 'no' })).toMatchObject({ code, details: {}, violations: [] });
  },
);

test('violations and the retry delay are decoded on both bindings', () => {
  const violations = [{ field: 'message.parts[0]', description: 'expected exactly one of text, raw, url, data' }];
  const error = new A2AError('INVALID_PARAMS', 'no', { violations, retryAfterMs: 1001 });
  const { status, body } = errors.encodeRest(error);
  expect(errors.decodeRpc(errors.encodeRpc(error))).toMatchObject({ violations, retryAfterMs: 1001 });
  expect(errors.decodeRest(status, body)).toMatchObject({ violations, retryAfterMs: 1001 });
});

test('the cause of an error never leaves the process', () => {
  const error = new A2AError('INTERNAL_ERROR', 'no', { cause: new Error('password=hunter2') });
  expect(JSON.stringify([errors.encodeRpc(error), errors.encodeRest(error)])).not.toContain('hunter2');
});

test('error data that is not a list is decoded as facts', () => {
  expect(errors.decodeRpc({ code: -32001, message: 'no', data: { taskId: 't1' } })).toMatchObject({
    code: 'TASK_NOT_FOUND',
    details: { taskId: 't1' },
  });
});
