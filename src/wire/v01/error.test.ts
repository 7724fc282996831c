import { expect, test } from 'vitest';
import { A2AError, type ErrorCode, ERRORS } from '../../errors.ts';
import { errors } from './error.ts';

/** The error numbers of 0.1 that differ from those of 1.0. */
const NUMBERS: Readonly<Partial<Record<ErrorCode, number>>> = {
  UNAUTHENTICATED: -32007,
  PERMISSION_DENIED: -32008,
  RATE_LIMIT_EXCEEDED: -32010,
  UNAVAILABLE: -32011,
  VERSION_NOT_SUPPORTED: -32600,
  EXTENSION_SUPPORT_REQUIRED: -32602,
  EXTENDED_AGENT_CARD_NOT_CONFIGURED: -32004,
  INVALID_AGENT_RESPONSE: -32603,
};

test.each(Object.keys(ERRORS) as ErrorCode[])('%s has a number in 0.1 and is decoded from it', (code) => {
  const wire = errors.encodeRpc(new A2AError(code, 'text', { details: { taskId: 't1' } }));
  expect(wire).toEqual({
    code: NUMBERS[code] ?? ERRORS[code].rpc,
    message: 'text',
    data: { reason: code, taskId: 't1' },
  });
  expect(errors.decodeRpc(wire)).toMatchObject({ code, message: 'text', details: { taskId: 't1' } });
});

test.each([
  [-32001, 'TASK_NOT_FOUND'],
  [-32002, 'TASK_NOT_CANCELABLE'],
  [-32003, 'PUSH_NOTIFICATION_NOT_SUPPORTED'],
  [-32004, 'UNSUPPORTED_OPERATION'],
  [-32005, 'CONTENT_TYPE_NOT_SUPPORTED'],
  [-32006, 'UNSUPPORTED_OPERATION'],
  [-32007, 'UNAUTHENTICATED'],
  [-32008, 'PERMISSION_DENIED'],
  [-32009, 'UNSUPPORTED_OPERATION'],
  [-32010, 'RATE_LIMIT_EXCEEDED'],
  [-32011, 'UNAVAILABLE'],
  [-32600, 'INVALID_REQUEST'],
  [-32601, 'METHOD_NOT_FOUND'],
  [-32602, 'INVALID_PARAMS'],
  [-32603, 'INTERNAL_ERROR'],
  [-32700, 'PARSE_ERROR'],
] as const)('the number %i without a reason is decoded as %s', (code, meaning) => {
  expect(errors.decodeRpc({ code, message: 'text' }).code).toBe(meaning);
});

test.each([
  ['no streaming', { capability: 'streaming' }, -32006],
  ['a task that is over', { taskId: 't1', state: 'TASK_STATE_COMPLETED' }, -32009],
  ['another capability', { capability: 'extendedAgentCard' }, -32004],
  ['no specific reason', {}, -32004],
])('the error UNSUPPORTED_OPERATION has a separate number for %s', (_, details, number) => {
  const wire = errors.encodeRpc(new A2AError('UNSUPPORTED_OPERATION', 'text', { details }));
  expect(wire.code).toBe(number);
  expect(errors.decodeRpc(wire)).toMatchObject({ code: 'UNSUPPORTED_OPERATION', details });
});

test('a state in the details does not change the number of other errors', () => {
  const details = { state: 'TASK_STATE_COMPLETED' };
  expect(errors.encodeRpc(new A2AError('TASK_NOT_CANCELABLE', 'text', { details })).code).toBe(-32002);
});

test.each([-32006, -32009])('the number %i of another agent is kept when its error is passed on', (code) => {
  const error = errors.decodeRpc({ code, message: 'text', data: { hint: 'x' } });
  expect(error.details).toMatchObject({ hint: 'x' });
  expect(error.cause).toEqual({ code, message: 'text', data: { hint: 'x' } });
  expect(errors.encodeRpc(error).code).toBe(code);
});

test('a reason in the data takes precedence over the number', () => {
  const wire = { code: -32006, message: 'text', data: { reason: 'INVALID_AGENT_RESPONSE' } };
  expect(errors.decodeRpc(wire).code).toBe('INVALID_AGENT_RESPONSE');
  expect(errors.decodeRpc(wire).details).toEqual({});
});
