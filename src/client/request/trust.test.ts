import { expect, test } from 'vitest';
import { A2AError } from '../../errors.ts';
import { AddressGuard, AddressRejected } from '../../push/address-guard.ts';
import { Trust } from './trust.ts';

function verdictOn(address: string, trust = new Trust(['https://friend.example'])): string {
  try {
    return trust.judge(new URL(address)).isTrusted ? 'trusted' : 'untrusted';
  } catch (error) {
    return A2AError.is(error, 'TRANSPORT_FAILED') ? error.message : 'something else';
  }
}

test.each([
  'https://example.com/',
  'http://example.com/',
  'http://example.com:3000/a2a',
  'http://example.com:8080/a2a',
  'https://93.184.216.34:4100/',
  'https://[2606:4700:4700::1111]/',
])('a card may name %s', (address) => {
  expect(verdictOn(address)).toBe('untrusted');
});

const REFUSED: readonly (readonly [string, string])[] = [
  ['ftp://example.com/', 'not an http or https URL'],
  ['https://user:hunter2@example.com/', 'user name or password'],
  ['https://user@example.com/', 'user name or password'],
  ['http://redis:6379/', 'private network'],
  ['http://metadata/', 'private network'],
  ['https://localhost./', 'private network'],
  ['http://db.internal/', 'private network'],
  ['http://0x7f.1/', 'private network'],
  ['http://[::ffff:10.0.0.1]/', 'private network'],
  ['https://example.com:22/', 'port of another service'],
  ['http://example.com:25/', 'port of another service'],
  ['http://example.com:6000/', 'port of another service'],
  ['http://example.com:6667/', 'port of another service'],
];

test.each(REFUSED)('a card may not name %s: %s', (address, why) => {
  expect(verdictOn(address)).toContain(why);
});

test.each(REFUSED)('a webhook may not use %s', (address) => {
  expect(() => new AddressGuard({ allowHttp: true }).admit(address)).toThrow(AddressRejected);
});

test.each(['http://redis:6379', 'http://127.0.0.1:22', 'https://example.com:25'])('the user may allow %s', (origin) => {
  expect(verdictOn(`${origin}/a2a`, new Trust([origin]))).toBe('trusted');
});

test('errors do not contain credentials in the URLs of cards', () => {
  const trust = new Trust(['https://friend.example']);
  for (const host of ['friend.example', 'example.com', 'redis'])
    expect(() => trust.judge(new URL(`https://user:hunter2@${host}/path`))).toThrow(
      expect.objectContaining({
        message: expect.not.stringContaining('hunter2'),
        details: { sent: 'no', url: `https://${host}/path`, reason: 'address-refused' },
      }),
    );
});
