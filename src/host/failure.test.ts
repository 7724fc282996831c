import { expect, test } from 'vitest';
import { A2AError } from '../errors.ts';
import type { LogFields } from '../observe/log.ts';
import { Failures } from './failure.ts';

interface Line {
  readonly level: 'info' | 'warn' | 'error';
  readonly fields: LogFields | undefined;
}

function listening(): { failures: Failures; lines: Line[]; pass: (ms: number) => void } {
  const lines: Line[] = [];
  let now = 5000;
  const note =
    (level: Line['level']) =>
    (_message: string, fields?: LogFields): void =>
      void lines.push({ level, fields });
  const failures = new Failures({ info: note('info'), warn: note('warn'), error: note('error') }, () => now);
  return { failures, lines, pass: (ms) => (now += ms) };
}

const SECRET = new Error('SELECT secret FROM /home/ann/tasks.db');

test.each<[string, unknown, string]>([
  ['an error that is not an A2AError', SECRET, 'Internal error'],
  ['a thrown string', 'oops', 'Internal error'],
  [
    'a store that fails',
    new A2AError('INTERNAL_ERROR', 'The task store failed', { cause: SECRET }),
    'The task store failed',
  ],
  ['an internal error without a cause', new A2AError('INTERNAL_ERROR', 'There is no agent'), 'There is no agent'],
])('%s is logged with the error id that the caller gets', (_, error, message) => {
  const { failures, lines } = listening();

  const shown = failures.publicError(error);

  const { errorId } = shown.details;
  expect(shown).toMatchObject({ code: 'INTERNAL_ERROR', message: `${message}. Error id: ${errorId}` });
  expect(shown.cause).toBeUndefined();
  expect(lines).toEqual([{ level: 'error', fields: { errorId, error } }]);
});

test.each([
  new A2AError('TASK_NOT_FOUND', 'Task 1 does not exist', { details: { taskId: '1' } }),
  new A2AError('PARSE_ERROR', 'The body is not valid JSON', { cause: SECRET }),
  new A2AError('UNAVAILABLE', 'The server is shutting down', { retryAfterMs: 1000 }),
])('an error that the caller can fix is not logged: $code', (error) => {
  const { failures, lines } = listening();

  expect(failures.publicError(error)).toBe(error);
  expect(lines).toEqual([]);
});

test('repeated UNAVAILABLE errors are logged once per second, with the number of suppressed ones', () => {
  const { failures, lines, pass } = listening();
  const error = new A2AError('UNAVAILABLE', 'The disk is full', { cause: SECRET, retryAfterMs: 1000 });

  const ids = new Set<string | undefined>();
  const fail = (): string => {
    const shown = failures.publicError(error);
    const { errorId = '' } = shown.details;
    expect(shown).toMatchObject({ code: 'UNAVAILABLE', message: `The disk is full. Error id: ${errorId}` });
    expect([shown.retryAfterMs, shown.cause]).toEqual([1000, undefined]);
    ids.add(errorId);
    return errorId;
  };

  const first = fail();
  for (let i = 0; i < 3; i++) expect(fail()).toBe(first);
  expect(lines).toEqual([{ level: 'warn', fields: { errorId: first, error } }]);

  pass(999);
  expect(fail()).toBe(first);
  expect(lines).toHaveLength(1);

  pass(1);
  const second = fail();
  pass(-60_000);
  const third = fail();
  expect(lines.slice(1)).toEqual([
    { level: 'warn', fields: { errorId: second, error, suppressed: 4 } },
    { level: 'warn', fields: { errorId: third, error } },
  ]);
  expect(ids.size).toBe(3);
});

test('long messages and details are cut, also of internal errors', () => {
  const { failures } = listening();
  const details = { name: 'x'.repeat(5000) };

  for (const code of ['INVALID_PARAMS', 'INTERNAL_ERROR'] as const) {
    const shown = failures.publicError(new A2AError(code, 'y'.repeat(5000), { details }));
    expect(shown.message.length).toBeLessThan(1100);
    expect(shown.details['name']).toHaveLength(257);
  }
});
