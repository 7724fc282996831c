import { expect, onTestFinished, test, vi } from 'vitest';
import { A2AError } from '../errors.ts';
import { stderrLog } from './stderr-log.ts';

/** What the log writes of it. */
function written(act: () => void): string {
  const texts: string[] = [];
  const write = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    texts.push(String(text));
    return true;
  });
  onTestFinished(() => write.mockRestore());
  act();
  write.mockRestore();
  return texts.join('');
}

test.each<[string, Record<string, unknown> | undefined, string]>([
  ['nothing else', undefined, ''],
  ['what belongs to it', { taskId: 't', tries: 2 }, " { taskId: 't', tries: 2 }"],
  ['an error', { error: new TypeError('no such thing') }, " { error: 'TypeError: no such thing' }"],
  [
    'an error with a code',
    { error: Object.assign(new Error('open failed'), { code: 'EACCES' }) },
    " { error: 'Error: open failed (EACCES)' }",
  ],
  [
    'an error of the protocol',
    { error: new A2AError('UNAVAILABLE', 'The store is away') },
    " { error: 'A2AError: The store is away (UNAVAILABLE)' }",
  ],
  [
    'an error and its causes',
    { error: new Error('outer', { cause: new RangeError('middle', { cause: 'inner' }) }) },
    " { error: 'Error: outer, because RangeError: middle, because inner' }",
  ],
  ['an error of several lines', { error: new Error('one\n  two\r\nthree') }, " { error: 'Error: one two three' }"],
  [
    'several errors in one',
    { error: new AggregateError([new Error('a'), new Error('b')], 'both') },
    " { error: 'AggregateError: both' }",
  ],
  ['an error deeper down', { at: { error: new Error('deep') } }, " { at: { error: 'Error: deep' } }"],
  ['a text of several lines', { text: 'one\ntwo' }, String.raw` { text: 'one\ntwo' }`],
  ['a long list', { list: Array.from({ length: 9 }, (_, i) => i) }, ' { list: [ 0, 1, 2, 3, 4, 5, 6, 7, 8 ] }'],
])('a line has %s', (_what, fields, text) => {
  expect(written(() => stderrLog.error('It failed', fields))).toBe(`tandem error: It failed${text}\n`);
});

test('an error that is its own cause comes to an end', () => {
  const error = new Error('round');
  error.cause = error;

  const text = written(() => stderrLog.warn('Look', { error }));

  expect(text).toMatch(/^tandem warning: Look \{ error: 'Error: round(, because Error: round){1,10}' \}\n$/);
});

test('what cannot be looked at does not stop the log', () => {
  const error = Object.defineProperty(new Error('x'), 'message', {
    get() {
      throw new Error('never look');
    },
  });

  expect(written(() => stderrLog.error('It failed', { error }))).toMatch(/^tandem error: It failed.*\n$/);
});

test('a message of several lines is one line, and what only informs is none', () => {
  expect(written(() => stderrLog.warn('one\ntwo'))).toBe('tandem warning: one two\n');
  expect(written(() => stderrLog.info('hello'))).toBe('');
});
