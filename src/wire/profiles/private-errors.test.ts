import { expect, test } from 'vitest';
import { A2AError, type ErrorCode } from '../../errors.ts';
import { v03 } from '../v03/index.ts';
import { privateErrors } from './private-errors.ts';

const { errors } = privateErrors.forServer?.(v03) ?? v03;

test.each([
  ['INPUT_TIMEOUT', -32001, 'Input timeout'],
  ['TOOL_EXECUTION_FAILED', -32002, 'Tool execution failed'],
  ['CONTEXT_NOT_FOUND', -32003, 'Context not found'],
])('the reason %s is encoded with the number %i and its message', (reason, code, message) => {
  const details = { reason, taskId: 'task-123', timeoutSeconds: '300' };
  const wire = errors.encodeRpc(new A2AError('INTERNAL_ERROR', 'no', { details }));
  expect(wire).toEqual({ code, message, data: { taskId: 'task-123', timeoutSeconds: 300 } });
  const back = errors.decodeRpc({ code, message: 'no', data: { taskId: 'task-123', timeoutSeconds: 300 } });
  expect(back).toMatchObject({
    code: 'INTERNAL_ERROR',
    details: { reason, taskId: 'task-123', timeoutSeconds: '300' },
  });
});

test.each<[ErrorCode, number, string]>([
  ['TASK_NOT_FOUND', -32004, 'Task not found'],
  ['TASK_NOT_CANCELABLE', -32603, 'no'],
  ['PUSH_NOTIFICATION_NOT_SUPPORTED', -32603, 'no'],
  ['UNSUPPORTED_OPERATION', -32603, 'no'],
  ['PERMISSION_DENIED', -32603, 'Forbidden: no'],
  ['CONTENT_TYPE_NOT_SUPPORTED', -32005, 'no'],
  ['PARSE_ERROR', -32700, 'Parse error'],
  ['INVALID_REQUEST', -32600, 'Invalid Request'],
  ['METHOD_NOT_FOUND', -32601, 'Method not found'],
  ['INVALID_PARAMS', -32602, 'Invalid params'],
  ['INTERNAL_ERROR', -32603, 'Internal error'],
])('%s is encoded as %i with the reason in its data', (code, rpc, message) => {
  const wire = errors.encodeRpc(new A2AError(code, 'no', { details: { method: 'x/y' } }));
  expect(wire).toEqual({ code: rpc, message, data: { reason: 'no', method: 'x/y' } });
});

test('a context that does not match its task is encoded as -32003', () => {
  const violations = [{ field: 'message.contextId', description: 'must be the context of the task' }];
  expect(errors.encodeRpc(new A2AError('INVALID_PARAMS', 'no', { violations }))).toMatchObject({
    code: -32003,
    message: 'Context not found',
  });
});

test('a missing permission names the skill that the caller requested', () => {
  const error = new A2AError('PERMISSION_DENIED', 'no', { details: { skillId: 'admin-tools' } });
  expect(errors.encodeRpc(error)).toMatchObject({
    code: -32603,
    message: "Forbidden: Insufficient permissions for skill 'admin-tools'",
  });
});

test('only an invalid request has a status other than 200', () => {
  expect(errors.rpcStatus?.(new A2AError('INVALID_REQUEST', 'no'))).toBe(400);
  expect(errors.rpcStatus?.(new A2AError('INVALID_PARAMS', 'no'))).toBeUndefined();
});

test('the private number of an unknown task is decoded as TASK_NOT_FOUND', () => {
  expect(errors.decodeRpc({ code: -32004, message: 'no' }).code).toBe('TASK_NOT_FOUND');
});

test.each([undefined, 'constructor', '__proto__', 'SOMETHING'])('the reason %s has no private number', (reason) => {
  const details = reason === undefined ? {} : { reason };
  expect(errors.encodeRpc(new A2AError('INTERNAL_ERROR', 'no', { details })).code).toBe(-32603);
});

test('a REST error contains its status', () => {
  expect(errors.encodeRest(new A2AError('INTERNAL_ERROR', 'no', { details: { taskId: 't1' } }))).toEqual({
    status: 500,
    body: { error: { code: 500, message: 'no', data: { taskId: 't1' } } },
  });
});

test.each([-32001, -32002, -32003, -32004])('without this profile %i keeps its official meaning', (code) => {
  const official = v03.errors.decodeRpc({ code, message: 'no' });
  expect(official.code).not.toBe('INTERNAL_ERROR');
  expect(v03.errors.encodeRpc(official).code).toBe(code);
});
