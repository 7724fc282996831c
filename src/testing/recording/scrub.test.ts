import { expect, test } from 'vitest';
import type { JsonValue } from '../../model/json.ts';
import { Scrubber } from './scrub.ts';

const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbm4ifQ.c2lnbmF0dXJl';

test.each([
  [`Authorization: Bearer ${JWT}`, 'Authorization: Bearer [scrubbed]'],
  [`the token ${JWT}, he said`, 'the token [scrubbed], he said'],
  ['Bearer abc123def456', 'Bearer [scrubbed]'],
  ['Basic dXNlcjpwYXNzd29yZA==', 'Basic [scrubbed]'],
  ['key sk-proj-abcdefghij0123456789', 'key [scrubbed]'],
  ['ghp_abcdefghijklmnopqrstuvwxyz0123456789', '[scrubbed]'],
  ['AKIAIOSFODNN7EXAMPLE', '[scrubbed]'],
  ['https://ann:hunter2@example.com/x', 'https://scrubbed@example.com/x'],
  ['https://example.com/x?access_token=abc&page=2', 'https://example.com/x?access_token=[scrubbed]&page=2'],
  ['https://example.com/x?page=2&X-Amz-Signature=abc', 'https://example.com/x?page=2&X-Amz-Signature=[scrubbed]'],
  ['https://example.com/cb#id_token=abc', 'https://example.com/cb#id_token=[scrubbed]'],
  ['-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----\nrest', '[scrubbed]\nrest'],
])('%s', (text, clean) => {
  expect(new Scrubber().text(text)).toBe(clean);
});

test.each([
  'Basic understanding of bearer bonds',
  'sk-learn and scikit',
  'https://example.com/x?page=2&sort=name',
  'ask-me-anything-about-anything',
  'mail ann@example.com // and bob@example.com',
])('%s is not removed', (text) => {
  expect(new Scrubber().text(text)).toBe(text);
});

test.each<[string, JsonValue, JsonValue]>([
  [
    'names of secrets',
    { githubToken: 'a', 'x-api-key': 'b', dbPassword: 1, OPENAI_API_KEY: 'c' },
    { githubToken: '[scrubbed]', 'x-api-key': '[scrubbed]', dbPassword: '[scrubbed]', OPENAI_API_KEY: '[scrubbed]' },
  ],
  [
    'all that is in one',
    { credentials: { user: 'ann', keys: ['a', 'b'] } },
    { credentials: { user: '[scrubbed]', keys: ['[scrubbed]', '[scrubbed]'] } },
  ],
  ['an empty value is not a secret', { token: '', password: null }, { token: '', password: null }],
  [
    'other names',
    { pageToken: 'p', nextPageToken: 'n', tokenUrl: 'https://x.example/token', maxTokens: 5, outputToken: 6, key: 'k' },
    { pageToken: 'p', nextPageToken: 'n', tokenUrl: 'https://x.example/token', maxTokens: 5, outputToken: 6, key: 'k' },
  ],
  [
    'schemes of cards',
    { securitySchemes: { token: { type: 'apiKey', name: 'X-API-Key' } }, security: [{ token: ['a'] }] },
    { securitySchemes: { token: { type: 'apiKey', name: 'X-API-Key' } }, security: [{ token: ['a'] }] },
  ],
  [
    'push configs of 1.0',
    {
      url: 'https://hooks.example/T0A1B2C3D4E5F6G7H8/x',
      token: 't',
      authentication: { scheme: 'Bearer', credentials: 'c' },
    },
    {
      url: 'https://hooks.example/[scrubbed]/x',
      token: '[scrubbed]',
      authentication: { scheme: 'Bearer', credentials: '[scrubbed]' },
    },
  ],
  [
    'push configs of 0.3',
    {
      pushNotificationConfig: {
        url: 'https://hooks.example/T0A1B2C3D4E5F6G7H8',
        authentication: { schemes: ['Bearer'], credentials: 'c' },
      },
    },
    {
      pushNotificationConfig: {
        url: 'https://hooks.example/[scrubbed]',
        authentication: { schemes: ['Bearer'], credentials: '[scrubbed]' },
      },
    },
  ],
])('%s', (_case, json, clean) => {
  expect(new Scrubber().json(json)).toEqual(clean);
});

test.each([
  [{ authorization: 'Bearer correct-horse' }, 'correct-horse'],
  [{ authorization: 'Basic YW5uOmNvcnJlY3QtaG9yc2U=' }, 'correct-horse'],
  [{ 'x-api-key': 'correct-horse' }, 'correct-horse'],
  [{ cookie: 'theme=dark; session=correct-horse' }, 'correct-horse'],
])('the secret in %j is removed from every text', (headers, secret) => {
  const scrubber = new Scrubber();
  scrubber.learn(headers);

  expect(scrubber.json({ text: `you sent ${secret}!` })).toEqual({ text: 'you sent [scrubbed]!' });
});

test('the scrubber removes given secrets, and secrets in queries', () => {
  const scrubber = new Scrubber(['plum']);
  expect(scrubber.text('the plum job')).toBe('the [scrubbed] job');
  expect(scrubber.query('key=abc&historyLength=2')).toBe('key=[scrubbed]&historyLength=2');
  expect(scrubber.query('')).toBe('');
});
