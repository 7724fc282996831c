import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
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
  ['a message without fields', undefined, ''],
  ['a string', { errorId: 'e-1' }, ' errorId="e-1"'],
  ['a number and a list', { count: 3, states: ['a'], gone: undefined }, ' count=3 states=["a"] gone=undefined'],
  [
    'an error with its cause',
    { error: new A2AError('UNAVAILABLE', 'The disk is full', { cause: full }) },
    ' error="A2AError UNAVAILABLE: The disk is full (see docs/errors.md#unavailable), caused by Error ERR_SQLITE_ERROR: database or disk is full"',
  ],
  [
    'a cause that is not an Error',
    { error: new Error('No', { cause: 'bad luck' }) },
    ' error="Error: No, caused by bad luck"',
  ],
  [
    'an A2AError with a code that is not in the table',
    { error: Object.assign(new Error('no'), { name: 'A2AError', code: 'ENOENT' }) },
    ' error="A2AError ENOENT: no"',
  ],
  [
    'an error with several lines',
    { error: new Error('one\ntwo\u001B[31m') },
    String.raw` error="Error: one\ntwo\u001b[31m"`,
  ],
  ['a circular value', { circular, fine: 1 }, ' circular=unreadable fine=1'],
])('the console log prints on one line: %s', (_, fields, more) => {
  expect(printed('warn', 'Look', fields)).toBe(`tandem warning: Look${more}`);
});

test('the console log prints errors and warnings with their level, and no info', () => {
  const spy = vi.spyOn(console, 'info').mockImplementation(() => {});

  expect(printed('error', 'Broken')).toBe('tandem error: Broken');
  consoleLog.info('Hello');

  expect(spy).not.toHaveBeenCalled();
});

test('line breaks are replaced, and long lines are cut', () => {
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

test.each([
  ['dim on a terminal with colours', true, true, '\u001B[2m    taskId="t-1"\u001B[22m'],
  ['plain on a terminal without colours', true, false, '    taskId="t-1"'],
  ['plain in a file', false, true, '    taskId="t-1"'],
])('the ids below a handler error are %s', (_, isTTY, hasColors, expected) => {
  const { stderr } = process;
  const original = { isTTY: stderr.isTTY, hasColors: stderr.hasColors };
  onTestFinished(() => void Object.assign(stderr, original));
  Object.assign(stderr, { isTTY, hasColors: () => hasColors });

  const lines = String(printed('error', 'A handler failed', { taskId: 't-1', error: new Error('no') })).split('\n');

  expect(lines.at(-1)).toBe(expected);
});

test('the A2AError of a handler names its section of the error reference below the stack', () => {
  const error = new A2AError('TRANSPORT_FAILED', 'gone');
  error.stack = 'A2AError: gone\n    at run (agent.ts:5:11)';

  expect(printed('error', 'A handler failed', { taskId: 't-1', error })).toBe(
    [
      'tandem error: A handler failed',
      '    A2AError: gone',
      '        at run (agent.ts:5:11)',
      '    see docs/errors.md#transport_failed',
      '    taskId="t-1"',
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
