import { afterEach, expect, test, vi } from 'vitest';
import { A2AError } from '../errors.ts';
import { consoleLog } from './console-log.ts';

afterEach(() => vi.restoreAllMocks());

function printed(method: 'warn' | 'error', ...[message, fields]: Parameters<typeof consoleLog.warn>): unknown {
  const spy = vi.spyOn(console, method).mockImplementation(() => {});
  consoleLog[method](message, fields);
  expect(spy).toHaveBeenCalledOnce();
  return spy.mock.calls[0]?.[0];
}

const full = Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR' });
const circular: Record<string, unknown> = {};
circular['self'] = circular;

test.each<[string, Record<string, unknown> | undefined, string]>([
  ['nothing more', undefined, ''],
  ['a text', { errorId: 'e-1' }, ' errorId="e-1"'],
  ['a number and a list', { count: 3, states: ['a'], gone: undefined }, ' count=3 states=["a"] gone=undefined'],
  [
    'an error with its cause',
    { error: new A2AError('UNAVAILABLE', 'The disk is full', { cause: full }) },
    ' error="A2AError UNAVAILABLE: The disk is full, because of Error ERR_SQLITE_ERROR: database or disk is full"',
  ],
  [
    'what was thrown and is no error',
    { error: new Error('No', { cause: 'bad luck' }) },
    ' error="Error: No, because of bad luck"',
  ],
  ['several lines', { error: new Error('one\ntwo\u001B[31m') }, String.raw` error="Error: one\ntwo\u001b[31m"`],
  ['what cannot be written', { circular, fine: 1 }, ' circular=unreadable fine=1'],
])('%s is on the line', (_, fields, more) => {
  expect(printed('warn', 'Look', fields)).toBe(`tandem warning: Look${more}`);
});

test('errors are told from warnings, and what only informs is left out', () => {
  const spy = vi.spyOn(console, 'info').mockImplementation(() => {});

  expect(printed('error', 'Broken')).toBe('tandem error: Broken');
  consoleLog.info('Hello');

  expect(spy).not.toHaveBeenCalled();
});

test('a line stays a line, and ends', () => {
  const round = new Error('round');
  round.cause = round;

  const line = String(printed('warn', 'one\r\ntwo\u2028three', { long: 'x'.repeat(10_000), round }));

  expect(line).toMatch(/^tandem warning: one two three long="x{1999}… round="Error: round/);
  expect(line.length).toBeLessThan(2200);
});

test('the error of a handler has its stack below it, indented, and the ids on the last line', () => {
  const error = new TypeError('no\ntandem error: forged', { cause: 'bad luck' });
  error.stack = `TypeError: ${error.message}\n    at run (agent.ts:5:11)\u001B[31m`;

  expect(printed('error', 'A handler failed', { taskId: 't-1', reference: 'r-1', error })).toBe(
    [
      'tandem error: A handler failed',
      '    TypeError: no',
      '    tandem error: forged',
      '        at run (agent.ts:5:11) [31m',
      '    caused by "bad luck"',
      '    taskId="t-1" reference="r-1"',
    ].join('\n'),
  );
});

test('a long stack of a handler is cut, and its cause is still shown', () => {
  const error = new Error('deep', { cause: 'bad luck' });
  error.stack = ['Error: deep', ...Array.from({ length: 100 }, (_, i) => `    at f${i} (a.ts)`)].join('\n');

  const lines = String(printed('error', 'A handler failed', { error })).split('\n');
  expect(lines.filter((line) => line.includes(' at f'))).toHaveLength(19);
  expect(lines.at(-2)).toBe('    caused by "bad luck"');
});

test('the error of a handler without a stack that can be read is shown by its text', () => {
  const error = Object.defineProperty(new Error('no'), 'stack', { value: undefined });
  expect(printed('error', 'A handler failed', { error })).toMatch(/^tandem error: A handler failed\n {4}Error: no\n/);
});
