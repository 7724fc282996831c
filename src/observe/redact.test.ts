import { expect, test } from 'vitest';
import { A2AError } from '../errors.ts';
import { redacted } from './redact.ts';

const BEARER = 'Bearer abc123def456';
const circular: Record<string, unknown> = { password: 'hunter2' };
circular['self'] = circular;

test.each<[string, Record<string, unknown>, unknown]>([
  ['a field with the name of a secret', { apiKey: 'k', taskId: 't' }, { apiKey: '[redacted]', taskId: 't' }],
  [
    'a header with the name of a secret',
    { headers: { Authorization: 'x', accept: 'y' } },
    { headers: { Authorization: '[redacted]', accept: 'y' } },
  ],
  [
    'a Headers object',
    { headers: new Headers({ 'x-api-key': 'k', via: 'v' }) },
    { headers: { 'x-api-key': '[redacted]', via: 'v' } },
  ],
  ['a secret deep in a list', { a: [{ b: { clientSecret: 's' } }] }, { a: [{ b: { clientSecret: '[redacted]' } }] }],
  ['a text that contains a token', { reason: `refused ${BEARER}` }, { reason: 'refused Bearer [redacted]' }],
  [
    'a URL with a password',
    { url: new URL('https://ann:hunter2@example.com/') },
    { url: 'https://redacted@example.com/' },
  ],
  [
    'an object whose getter throws',
    {
      odd: {
        get x() {
          throw new Error('no');
        },
      },
    },
    { odd: '[unreadable]' },
  ],
])('%s is logged without its secret', (_, fields, clean) => {
  expect(redacted(fields)).toEqual(clean);
});

test('a circular value is cut and redacted', () => {
  const text = JSON.stringify(redacted({ circular }));

  expect(text).toContain('[too deep]');
  expect(text).not.toContain('hunter2');
});

test('a redacted error is still an error, with its code and causes', () => {
  const cause = Object.assign(new Error(`GET /?token=abc failed`), { code: 'ECONNRESET', headers: { cookie: 'c' } });
  const { error } = redacted({ error: new A2AError('UNAVAILABLE', `The store said ${BEARER}`, { cause }) });

  expect(error).toBeInstanceOf(Error);
  expect(error).toMatchObject({
    name: 'A2AError',
    code: 'UNAVAILABLE',
    message: 'The store said Bearer [redacted]',
    cause: { code: 'ECONNRESET', message: 'GET /?token=[redacted] failed', headers: { cookie: '[redacted]' } },
  });
  expect((error as Error).stack).not.toContain('abc123');
});

test('fields without secrets are returned as the same object', () => {
  const fields = { error: new A2AError('UNAVAILABLE', 'The disk is full'), states: ['a'], taskId: 't' };

  expect(redacted(fields)).toBe(fields);
});

test('a log text of more than 8,192 characters is cut, in a field and in an error', () => {
  const text = 'x'.repeat(10_000);
  const { note, error } = redacted({ note: text, error: new Error(`Unknown command: ${text}`) });

  expect(note).toBe(`${'x'.repeat(8192)}… [1808 characters cut]`);
  expect((error as Error).message).toBe(`Unknown command: ${'x'.repeat(8192 - 17)}… [1825 characters cut]`);
  // The frames matter more than the whole message.
  expect((error as Error).stack).toMatch(/^Error: Unknown command: x{1007}…\n\s+at /);
  expect((error as Error).stack?.length).toBeLessThan(8192);
});

test('a secret that spans the cut of a long log text is redacted', () => {
  const { note } = redacted({ note: `${'x '.repeat(4090)}${BEARER}abcdefghijklmnopqrstuvw${'x'.repeat(1000)}` });

  expect(note).not.toContain('abc123');
});
