import { expect, test } from 'vitest';
import { A2AError } from '../errors.ts';
import { redacted } from './redact.ts';

const BEARER = 'Bearer abc123def456';
const circular: Record<string, unknown> = { password: 'hunter2' };
circular['self'] = circular;

test.each<[string, Record<string, unknown>, unknown]>([
  ['a field by its name', { apiKey: 'k', taskId: 't' }, { apiKey: '[redacted]', taskId: 't' }],
  [
    'a header by its name',
    { headers: { Authorization: 'x', accept: 'y' } },
    { headers: { Authorization: '[redacted]', accept: 'y' } },
  ],
  [
    'headers of the platform',
    { headers: new Headers({ 'x-api-key': 'k', via: 'v' }) },
    { headers: { 'x-api-key': '[redacted]', via: 'v' } },
  ],
  ['deep in a list', { a: [{ b: { clientSecret: 's' } }] }, { a: [{ b: { clientSecret: '[redacted]' } }] }],
  ['a text that holds one', { reason: `refused ${BEARER}` }, { reason: 'refused Bearer [redacted]' }],
  ['an address', { url: new URL('https://ann:hunter2@example.com/') }, { url: 'https://redacted@example.com/' }],
  [
    'what throws when it is looked at',
    {
      odd: {
        get x() {
          throw new Error('no');
        },
      },
    },
    { odd: '[unreadable]' },
  ],
])('%s', (_, fields, clean) => {
  expect(redacted(fields)).toEqual(clean);
});

test('what goes round in a circle comes to an end, without the secret', () => {
  const text = JSON.stringify(redacted({ circular }));

  expect(text).toContain('[too deep]');
  expect(text).not.toContain('hunter2');
});

test('an error stays one, with its code and its causes, without what they quote', () => {
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

test('what holds no secret is the very same', () => {
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

test('a secret across the place where a log text is cut is redacted', () => {
  const { note } = redacted({ note: `${'x '.repeat(4090)}${BEARER}abcdefghijklmnopqrstuvw${'x'.repeat(1000)}` });

  expect(note).not.toContain('abc123');
});
