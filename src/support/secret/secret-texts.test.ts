import { expect, test } from 'vitest';
import { withoutSecrets, withoutTokens } from './secret-texts.ts';

const A16 = 'a1b2c3d4e5f6g7h8';
const HEX32 = '0123456789abcdef0123456789abcdef';
const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbm4ifQ.c2lnbmF0dXJl';

const TOKENS = [
  JWT,
  `session-${JWT}`,
  `session_${JWT}`,
  `sk-${A16}`,
  `sk_live_${A16}`,
  `pk-${A16}`,
  `rk_${A16}`,
  `ghp_${A16}${A16}`,
  `github_pat_${A16}${A16}`,
  `glpat-${A16}`,
  `xoxb-${A16}`,
  `npm_${A16}${A16}`,
  `hf_${A16}${A16}`,
  'AKIAIOSFODNN7EXAMPLE',
  `AIza${A16}${A16}`,
  `ya29.${A16}`,
  `GOCSPX-${A16}`,
  `SG.${A16}.${A16}`,
  `SK${HEX32}`,
  '-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----',
  '-----BEGIN RSA PRIVATE KEY-----\nMIIE',
];

test.each(TOKENS)('the token %s is replaced in a text', (token) => {
  for (const clean of [withoutTokens, withoutSecrets]) {
    expect(clean(`It is ${token}`, '[x]')).toBe('It is [x]');
    expect(clean(`"${token}"`, '[x]')).toMatch(/^"\[x\]"?$/);
  }
});

test.each([
  [`x-sk-${A16}`, 'x-[x]'],
  [`Authorization: Bearer ${A16}`, 'Authorization: Bearer [x]'],
  [`BASIC ${A16}==`, 'BASIC [x]'],
  ['postgres://ann:hunter2@db/tasks', 'postgres://x@db/tasks'],
  ['see https://ann:p%40ss@example.com/a?b=c', 'see https://x@example.com/a?b=c'],
  ['redis://:hunter2@cache', 'redis://x@cache'],
])('the secret part of %s is replaced', (text, clean) => {
  expect(withoutTokens(text, '[x]')).toBe(clean);
  expect(withoutSecrets(text, '[x]')).toBe(clean);
});

test.each([
  ['https://example.com/?token=abc&page=2', 'https://example.com/?token=[x]&page=2'],
  ['https://ann@example.com/', 'https://x@example.com/'],
  ['password=hunter2hunter failed', 'password=[x] failed'],
  ['(apikey=AKEY-999999', '(apikey=[x]'],
  ['host=db user=ann password=a,b', 'host=db user=ann password=[x]'],
])('the secret in %s is replaced in logs and recordings', (text, clean) => {
  expect(withoutSecrets(text, '[x]')).toBe(clean);
});

test.each([
  'https://example.com/?token=abc&page=2',
  'https://ann@example.com/',
  'password=hunter2hunter',
  'The task sk-ills and disk-12345678901234567890 stay',
  'heyJude12345.example.com',
  'eyJ is how JWTs start',
  'SG. and npm_install',
  'basic knowledge of trains',
])('%s is kept in metadata', (text) => {
  expect(withoutTokens(text, '[x]')).toBe(text);
});

test.each(['exit code=1', 'page=2&size=3', 'The key=value pairs'])('%s is kept in a log', (text) => {
  expect(withoutSecrets(text, '[x]')).toBe(text);
});
