import { expect, test } from 'vitest';
import { A2AError, type ErrorCode, ERRORS } from '../../errors.ts';
import { errors } from './error.ts';

/** The errors that we send: numbers of the 0.3 specification, statuses of its SDKs, and reused numbers for later errors. */
const TABLE: readonly (readonly [ErrorCode, number, number])[] = [
  ['TASK_NOT_FOUND', -32001, 404],
  ['TASK_NOT_CANCELABLE', -32002, 409],
  ['PUSH_NOTIFICATION_NOT_SUPPORTED', -32003, 400],
  ['UNSUPPORTED_OPERATION', -32004, 400],
  ['CONTENT_TYPE_NOT_SUPPORTED', -32005, 415],
  ['INVALID_AGENT_RESPONSE', -32006, 502],
  ['EXTENDED_AGENT_CARD_NOT_CONFIGURED', -32007, 404],
  ['EXTENSION_SUPPORT_REQUIRED', -32004, 400],
  ['VERSION_NOT_SUPPORTED', -32009, 400],
  ['PARSE_ERROR', -32700, 400],
  ['INVALID_REQUEST', -32600, 400],
  ['METHOD_NOT_FOUND', -32601, 404],
  ['INVALID_PARAMS', -32602, 400],
  ['INTERNAL_ERROR', -32603, 500],
  ['UNAUTHENTICATED', -32000, 401],
  ['PERMISSION_DENIED', -32000, 403],
  ['RATE_LIMIT_EXCEEDED', -32000, 429],
  ['METHOD_NOT_ALLOWED', -32600, 405],
  ['REQUEST_TIMEOUT', -32600, 408],
  ['PAYLOAD_TOO_LARGE', -32600, 413],
  ['UNAVAILABLE', -32603, 503],
  ['DISCOVERY_FAILED', -32603, 502],
  ['TRANSPORT_FAILED', -32603, 502],
  ['TIMEOUT', -32603, 504],
  ['TASK_FAILED', -32603, 502],
  ['INPUT_REQUIRED', -32603, 502],
  ['AUTH_REQUIRED', -32603, 502],
];

/** The Python SDK 1.x recognises errors by these names of its classes. */
const TYPES: Readonly<Partial<Record<ErrorCode, string>>> = {
  TASK_NOT_FOUND: 'TaskNotFoundError',
  TASK_NOT_CANCELABLE: 'TaskNotCancelableError',
  PUSH_NOTIFICATION_NOT_SUPPORTED: 'PushNotificationNotSupportedError',
  UNSUPPORTED_OPERATION: 'UnsupportedOperationError',
  CONTENT_TYPE_NOT_SUPPORTED: 'ContentTypeNotSupportedError',
  INVALID_AGENT_RESPONSE: 'InvalidAgentResponseError',
  EXTENDED_AGENT_CARD_NOT_CONFIGURED: 'ExtendedAgentCardNotConfiguredError',
  EXTENSION_SUPPORT_REQUIRED: 'ExtensionSupportRequiredError',
  VERSION_NOT_SUPPORTED: 'VersionNotSupportedError',
  PARSE_ERROR: 'JSONParseError',
  INVALID_REQUEST: 'InvalidRequestError',
  METHOD_NOT_FOUND: 'MethodNotFoundError',
  INVALID_PARAMS: 'InvalidParamsError',
  INTERNAL_ERROR: 'InternalError',
};

test('the table of this test contains every error code', () => {
  expect(TABLE.map(([code]) => code).toSorted()).toEqual(Object.keys(ERRORS).toSorted());
});

test.each(TABLE)('%s is encoded and decoded over JSON-RPC', (code, rpc) => {
  const wire = errors.encodeRpc(new A2AError(code, 'no', { details: { taskId: 't1' } }));
  const info = { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: code, domain: 'a2a-protocol.org' };
  expect(wire).toEqual({ code: rpc, message: 'no', data: [{ ...info, metadata: { taskId: 't1' } }] });
  expect(errors.decodeRpc(wire)).toMatchObject({ code, message: 'no', details: { taskId: 't1' }, cause: wire });
});

test.each(TABLE)('%s over REST is decodable by every known client', (code, rpc, http) => {
  const { status, body } = errors.encodeRest(new A2AError(code, 'no', { details: { taskId: 't1' } }));
  expect(status).toBe(http);
  const data = { reason: code, taskId: 't1' };
  const { type, ...members } = body as { readonly type?: string };
  expect(members).toEqual({ code: rpc, message: 'no', error: { code: rpc, message: 'no', data } });
  expect(type).toBe(TYPES[code]);
  expect(errors.decodeRest(status, body)).toMatchObject({
    code,
    message: 'no',
    details: { taskId: 't1' },
    cause: body,
  });
});

test.each<[number, ErrorCode]>([
  [-32001, 'TASK_NOT_FOUND'],
  [-32004, 'UNSUPPORTED_OPERATION'],
  [-32007, 'EXTENDED_AGENT_CARD_NOT_CONFIGURED'],
  [-32008, 'INTERNAL_ERROR'],
  [-32000, 'INTERNAL_ERROR'],
])('the number %i without a reason is decoded as %s', (rpc, code) => {
  expect(errors.decodeRpc({ code: rpc, message: 'no' }).code).toBe(code);
});

test('violations of an error are encoded and decoded', () => {
  const violations = [{ field: 'message', description: 'expected the member message' }];
  const error = new A2AError('INVALID_PARAMS', 'no', { violations });
  expect(errors.encodeRpc(error).data).toMatchObject([
    { reason: 'INVALID_PARAMS' },
    { '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: violations },
  ]);
  expect(errors.decodeRpc(errors.encodeRpc(error)).violations).toEqual(violations);
  const { status, body } = errors.encodeRest(error);
  expect(errors.decodeRest(status, body).violations).toEqual(violations);
});

test('the cause of an error never leaves the process', () => {
  const error = new A2AError('INTERNAL_ERROR', 'no', { cause: new Error('password=hunter2') });
  expect(JSON.stringify([errors.encodeRpc(error), errors.encodeRest(error)])).not.toContain('hunter2');
});
