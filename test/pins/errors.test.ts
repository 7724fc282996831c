import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { A2AError, ERROR_DOMAIN, type ErrorCode, ERRORS } from '../../src/errors.ts';

/** The errors of 1.0 §5.4 with the changes of 1.0.1, then the generic errors. Users rely on these numbers. */
const TABLE = `
  TASK_NOT_FOUND                      -32001  404  NOT_FOUND
  TASK_NOT_CANCELABLE                 -32002  400  FAILED_PRECONDITION
  PUSH_NOTIFICATION_NOT_SUPPORTED     -32003  400  FAILED_PRECONDITION
  UNSUPPORTED_OPERATION               -32004  400  FAILED_PRECONDITION
  CONTENT_TYPE_NOT_SUPPORTED          -32005  400  INVALID_ARGUMENT
  INVALID_AGENT_RESPONSE              -32006  500  INTERNAL
  EXTENDED_AGENT_CARD_NOT_CONFIGURED  -32007  400  FAILED_PRECONDITION
  EXTENSION_SUPPORT_REQUIRED          -32008  400  FAILED_PRECONDITION
  VERSION_NOT_SUPPORTED               -32009  400  FAILED_PRECONDITION
  PARSE_ERROR                         -32700  400  INVALID_ARGUMENT
  INVALID_REQUEST                     -32600  400  INVALID_ARGUMENT
  METHOD_NOT_FOUND                    -32601  404  UNIMPLEMENTED
  INVALID_PARAMS                      -32602  400  INVALID_ARGUMENT
  INTERNAL_ERROR                      -32603  500  INTERNAL
  UNAUTHENTICATED                     -32000  401  UNAUTHENTICATED
  PERMISSION_DENIED                   -32000  403  PERMISSION_DENIED
  RATE_LIMIT_EXCEEDED                 -32000  429  RESOURCE_EXHAUSTED
  METHOD_NOT_ALLOWED                  -32600  405  UNIMPLEMENTED
  REQUEST_TIMEOUT                     -32600  408  DEADLINE_EXCEEDED
  PAYLOAD_TOO_LARGE                   -32600  413  RESOURCE_EXHAUSTED
  UNAVAILABLE                         -32603  503  UNAVAILABLE
  DISCOVERY_FAILED                    -32603  502  UNAVAILABLE
  TRANSPORT_FAILED                    -32603  502  UNAVAILABLE
  TIMEOUT                             -32603  504  DEADLINE_EXCEEDED
  TASK_FAILED                         -32603  502  ABORTED
  INPUT_REQUIRED                      -32603  502  FAILED_PRECONDITION
  AUTH_REQUIRED                       -32603  502  FAILED_PRECONDITION`;

const actual = Object.entries(ERRORS).map(([code, { rpc, http, grpc }]) => [code, rpc, http, grpc].join(' '));

test('the numbers of the error codes do not change', () => {
  expect(actual).toEqual(
    TABLE.trim()
      .split('\n')
      .map((line) => line.trim().replaceAll(/ +/g, ' ')),
  );
  expect(ERROR_DOMAIN).toBe('a2a-protocol.org');
});

const PAGE = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8');

test('docs/errors.md lists every code with its numbers in the table, and no other', () => {
  const rows = [...PAGE.matchAll(/^\| \[`([A-Z_]+)`\]\(#([a-z_]+)\) \| (-\d+) \| (\d+) \| `([A-Z_]+)` \|/gm)];
  expect(rows.map(([, code, , rpc, http, grpc]) => [code, rpc, http, grpc].join(' ')).sort()).toEqual(
    actual.toSorted(),
  );
  for (const [, code = '', anchor] of rows) expect(anchor).toBe(code.toLowerCase());
});

test('docs/errors.md has a section with numbers, cause and fix for every code, and for no other', () => {
  const sections = PAGE.split(/^(?=#{2,3} )/m).filter((section) => section.startsWith('### '));
  const listed = sections.map((section) => {
    const [, code, rpc, http, grpc] =
      /^### `([A-Z_]+)`\n\nJSON-RPC (-\d+) · HTTP (\d+) · gRPC `([A-Z_]+)`\n/.exec(section) ?? [];
    expect(section, `the cause of ${code}`).toMatch(/^\*\*Cause\.\*\* .*\.$/m);
    expect(section, `the fix for ${code}`).toMatch(/^\*\*Fix\.\*\* .*\.$/m);
    return [code, rpc, http, grpc].join(' ');
  });
  expect(listed.sort()).toEqual(actual.toSorted());
});

test('docs/errors.md has a heading for every code, whose anchor is the one of A2AError.docs', () => {
  const headings = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8').matchAll(
    /^#+ `([A-Z_]+)`$/gm,
  );
  const anchors = [...headings].map(([, heading = '']) => `docs/errors.md#${heading.toLowerCase()}`);
  const expected = Object.keys(ERRORS).map((code) => new A2AError(code as ErrorCode, 'no').docs);
  expect(anchors.sort()).toEqual(expected.sort());
});

// A2AError

test('A2AError.docs names the section of the error reference, and is not part of its JSON', () => {
  const error = new A2AError('TASK_NOT_FOUND', 'no');
  expect(error.docs).toBe('docs/errors.md#task_not_found');
  expect(JSON.stringify(error)).not.toContain('docs/');
  expect(Object.keys(error)).not.toContain('docs');
});

test('an A2AError has its code, message, details, violations, retryAfterMs and cause', () => {
  const cause = new Error('disk full');
  const violations = [{ field: 'id', description: 'expected a string' }];
  const error = new A2AError('INVALID_PARAMS', 'no', { details: { taskId: 't1' }, violations, retryAfterMs: 5, cause });
  expect(error).toBeInstanceOf(Error);
  expect(error).toMatchObject({
    name: 'A2AError',
    code: 'INVALID_PARAMS',
    message: 'no',
    violations,
    retryAfterMs: 5,
    cause,
  });
  expect(error.details).toEqual({ taskId: 't1' });
});

test('an A2AError without options has empty details and violations, and no cause', () => {
  const error = new A2AError('INTERNAL_ERROR', 'no');
  expect(error).toMatchObject({ details: {}, violations: [], retryAfterMs: undefined });
  expect('cause' in error).toBe(false);
});

test('A2AError.is() accepts an error of another copy of the package', async () => {
  vi.resetModules();
  const copy = await import('../../src/errors.ts');
  const error = new copy.A2AError('TASK_NOT_FOUND', 'gone');
  expect(error).not.toBeInstanceOf(A2AError);
  expect(A2AError.is(error)).toBe(true);
  expect(A2AError.is(error, 'TASK_NOT_FOUND')).toBe(true);
  expect(A2AError.is(error, 'INTERNAL_ERROR')).toBe(false);
});

test.each<[string, unknown]>([
  ['undefined', undefined],
  ['a plain error', new Error('x')],
  ['a plain object that looks like one', { name: 'A2AError', code: 'TASK_NOT_FOUND', message: 'x' }],
  ['an error with the code of an A2AError and another name', Object.assign(new Error('x'), { code: 'TASK_NOT_FOUND' })],
  ['an error named A2AError without a code', Object.assign(new Error('x'), { name: 'A2AError' })],
  ['an error named A2AError with an unknown code', Object.assign(new Error('x'), { name: 'A2AError', code: 'ENOENT' })],
  [
    'an error named A2AError whose code is a member of Object.prototype',
    Object.assign(new Error('x'), { name: 'A2AError', code: 'toString' }),
  ],
])('A2AError.is() rejects %s', (_case, value) => {
  expect(A2AError.is(value)).toBe(false);
});
