import { expect, test } from 'vitest';

import { A2AError } from '../../../errors.ts';
import { RESULT, toCommitError, toStoreError, troubleOf } from './failure.ts';

function error(message: string, members: object): Error {
  return Object.assign(new Error(message), members);
}

const OF_NODE = { code: 'ERR_SQLITE_ERROR' };

test.each([
  ['a number', error('database or disk is full', { ...OF_NODE, errcode: 13 }), RESULT.FULL],
  ['an extended number', error('disk I/O error', { ...OF_NODE, errcode: 778 }), RESULT.IOERR],
  ['its message', error('database disk image is malformed', OF_NODE), RESULT.CORRUPT],
  ['the end of its message', error('Failed to open database: unable to open database file', OF_NODE), RESULT.CANTOPEN],
  ['a name', error('whatever', { code: 'SQLITE_BUSY' }), RESULT.BUSY],
  ['an extended name', error('whatever', { code: 'SQLITE_READONLY_DBMOVED' }), RESULT.READONLY],
])('an external cause is recognised by %s', (_, cause, code) => {
  expect(troubleOf(cause)).toBe(code);
  expect(toStoreError(cause)).toMatchObject({ code: 'UNAVAILABLE', cause, retryAfterMs: 1000 });
  expect(toCommitError(cause)).toMatchObject({ code: 'UNAVAILABLE', cause, retryAfterMs: 1000 });
  expect(toCommitError(cause).message).toBe(`${toStoreError(cause).message}: nothing was stored`);
});

test.each([
  ['a constraint', error('UNIQUE constraint failed: task.id', { ...OF_NODE, errcode: 1555 })],
  ['a constraint by name', error('UNIQUE constraint failed: task.id', { code: 'SQLITE_CONSTRAINT_UNIQUE' })],
  ['a wrong value', error('datatype mismatch', OF_NODE)],
  ['a bug of ours', new TypeError('database or disk is full')],
  ['no error at all', 'database or disk is full'],
])('%s is an internal error whose message is hidden', (_, cause) => {
  expect(troubleOf(cause)).toBeUndefined();
  expect(toStoreError(cause)).toMatchObject({
    code: 'INTERNAL_ERROR',
    message: 'The task store could not complete the operation',
    cause,
  });
});

test('a failed transaction is always retryable', () => {
  const cause = new TypeError('no');

  expect(toCommitError(cause)).toMatchObject({
    code: 'UNAVAILABLE',
    message: 'The task store could not commit: nothing was stored',
    cause,
  });
});

test('an A2AError is returned unchanged', () => {
  const ours = new A2AError('UNAVAILABLE', 'The task store is closed');

  expect(toStoreError(ours)).toBe(ours);
  expect(toCommitError(ours)).toBe(ours);
});
