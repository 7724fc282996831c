import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

// RFC 6234 and printf | openssl dgst -sha256 -binary | base64
const CASES = [
  ['', '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='],
  ['abc', 'ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0='],
  ['grüße 🔑', undefined],
] as const;

async function fresh(): Promise<(text: string) => string | Promise<string>> {
  vi.resetModules();
  return (await import('./sha256.ts')).sha256;
}

afterEach(() => vi.unstubAllGlobals());

test.each(CASES)('sha256 of %j is synchronous on Node', async (text, expected) => {
  const digest = (await fresh())(text);

  expect(digest).toBeTypeOf('string');
  if (expected !== undefined) expect(digest).toBe(expected);
});

describe('sha256 with WebCrypto only', () => {
  beforeEach(() => vi.stubGlobal('process', { env: {} }));

  test.each(CASES)('%j has the same digest, as a promise', async (text) => {
    const later = (await fresh())(text);
    vi.unstubAllGlobals();

    expect(later).toBeInstanceOf(Promise);
    expect(await later).toBe(await (await fresh())(text));
  });
});
