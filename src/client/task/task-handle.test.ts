import fc from 'fast-check';
import { expect, test } from 'vitest';
import { arbitraryText } from '../../../test/helpers/arbitrary-model.ts';
import { BINDINGS } from '../options.ts';
import { decodeHandle, encodeHandle, isHandle } from './task-handle.ts';

test('a handle is one word and decodes to its task and endpoint', () => {
  const address = fc.record({
    url: fc.webUrl().map((url) => new URL(url).href.replace(/#.*/, '')),
    binding: fc.constantFrom(...BINDINGS),
    version: fc.constantFrom('1.0' as const, '0.3' as const, '0.2' as const, '0.1' as const),
    tenant: fc.option(arbitraryText, { nil: undefined }),
    taskId: arbitraryText,
    streaming: fc.boolean(),
  });
  fc.assert(
    fc.property(address, (given) => {
      const handle = encodeHandle(given);
      expect(handle).toMatch(/^task1_[A-Za-z0-9_-]+$/);
      expect(decodeHandle(handle)).toEqual(given);
    }),
  );
});

test('a handle shows that a URL has a query, but not its content', () => {
  const handle = encodeHandle({
    url: 'https://example.com/a2a?code=secret',
    binding: 'JSONRPC',
    version: '1.0',
    tenant: undefined,
    taskId: 't',
    streaming: true,
  });
  expect(decodeHandle(handle).url).toBe('https://example.com/a2a?');
});

test.each([
  ['another text', 'hello'],
  ['a URL', 'https://example.com'],
  ['an empty handle', 'task1_'],
  ['invalid base64', 'task1_%%%'],
  ['invalid JSON', 'task1_aGVsbG8'],
  ['JSON that is not an array', `task1_${btoa('{}').replace(/=+$/, '')}`],
  [
    'a version that we do not know',
    encodeHandle({
      url: 'http://a',
      binding: 'JSONRPC',
      version: '9.9' as never,
      tenant: undefined,
      taskId: 't',
      streaming: true,
    }),
  ],
  [
    'a binding that we do not know',
    encodeHandle({
      url: 'http://a',
      binding: 'GRPC' as never,
      version: '1.0',
      tenant: undefined,
      taskId: 't',
      streaming: true,
    }),
  ],
  [
    'no address',
    encodeHandle({
      url: 'nowhere',
      binding: 'JSONRPC',
      version: '1.0',
      tenant: undefined,
      taskId: 't',
      streaming: true,
    }),
  ],
  [
    'an address with a secret in it',
    encodeHandle({
      url: 'http://me:secret@a',
      binding: 'JSONRPC',
      version: '1.0',
      tenant: undefined,
      taskId: 't',
      streaming: true,
    }),
  ],
])('decodeHandle rejects %s', (_case, text) => {
  expect(() => decodeHandle(text)).toThrow(expect.objectContaining({ code: 'INVALID_PARAMS' }));
});

test('a URL is not recognised as a handle', () => {
  expect(isHandle('task1.example.com/a2a')).toBe(false);
  expect(isHandle('https://task1.example.com')).toBe(false);
});
