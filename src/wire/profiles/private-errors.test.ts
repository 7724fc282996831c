import { expect, test } from 'vitest';
import { A2AError, type ErrorCode } from '../../errors.ts';
import { v03 } from '../v03/index.ts';
import { privateErrors } from './private-errors.ts';

const { errors } = privateErrors.answer?.(v03) ?? v03;

test.each([
  ['INPUT_TIMEOUT', -32001],
  ['TOOL_EXECUTION_FAILED', -32002],
  ['CONTEXT_NOT_FOUND', -32003],
])('%s has the number %i', (reason, code) => {
  const wire = errors.encodeRpc(new A2AError('INTERNAL_ERROR', 'no', { details: { reason, taskId: 'task-123' } }));
  expect(wire).toEqual({ code, message: 'no', data: { reason, taskId: 'task-123' } });
  const back = errors.decodeRpc({ code, message: 'no', data: { taskId: 'task-123', timeoutSeconds: 300 } });
  expect(back).toMatchObject({
    code: 'INTERNAL_ERROR',
    details: { reason, taskId: 'task-123', timeoutSeconds: '300' },
  });
});

test.each<[ErrorCode, number, string]>([
  ['TASK_NOT_FOUND', -32004, 'no'],
  ['TASK_NOT_CANCELABLE', -32603, 'no'],
  ['PUSH_NOTIFICATION_NOT_SUPPORTED', -32603, 'no'],
  ['UNSUPPORTED_OPERATION', -32603, 'no'],
  ['PERMISSION_DENIED', -32603, 'Forbidden: no'],
  ['CONTENT_TYPE_NOT_SUPPORTED', -32005, 'no'],
  ['INVALID_REQUEST', -32600, 'no'],
  ['METHOD_NOT_FOUND', -32601, 'no'],
  ['INVALID_PARAMS', -32602, 'no'],
  ['INTERNAL_ERROR', -32603, 'no'],
])('%s becomes %i', (code, rpc, message) => {
  const wire = errors.encodeRpc(new A2AError(code, 'no', { details: { method: 'x/y' } }));
  expect(wire).toEqual({ code: rpc, message, data: { reason: 'no', method: 'x/y' } });
});

test('a task that is not found is read by the private number', () => {
  expect(errors.decodeRpc({ code: -32004, message: 'no' }).code).toBe('TASK_NOT_FOUND');
});

test.each([undefined, 'constructor', '__proto__', 'SOMETHING'])('the reason %s has no number of its own', (reason) => {
  const details = reason === undefined ? {} : { reason };
  expect(errors.encodeRpc(new A2AError('INTERNAL_ERROR', 'no', { details })).code).toBe(-32603);
});

test('over REST the status is inside the error', () => {
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
