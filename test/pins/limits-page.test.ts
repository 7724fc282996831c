import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/host/limits/limit-settings.ts';
import { DEFAULT_LIMITS as READ_LIMITS } from '../../src/wire/decoder.ts';
import { ROOT } from '../helpers/source.ts';

const PAGE = readFileSync(join(ROOT, 'docs/limits.md'), 'utf8');
test('docs/limits.md has the fixed limits of the code', () => {
  const source = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
  const facts: readonly (readonly [string, string, string])[] = [
    ['src/wire/jsonrpc.ts', 'MAX_ID_CHARACTERS = 256', '256 characters'],
    ['src/support/json/untrusted-json.ts', 'HARMLESS_LENGTH = 2 ** 14', 'a body above 16 KiB'],
    ['src/support/json/untrusted-json.ts', 'MAX_NESTING = 80', '80 levels of nesting'],
    ['src/support/json/untrusted-json.ts', 'MAX_STRUCTURE = 500_000', '500,000 opening brackets, commas and colons'],
    ['src/store/memory/store.ts', 'MAX_BYTES = 256 * 2 ** 20', 'which keeps 256 MiB of tasks'],
    ['src/store/memory/unfinished-bytes.ts', 'PARTS = 2', 'at most half of that (128 MiB)'],
    ['src/engine/tasks/task-page.ts', 'PAGE_BYTES = 8 * 2 ** 20', 'carries about 8 MiB of a task'],
    [
      'src/engine/tasks/task-page.ts',
      "HISTORY_KEY = 'urn:tandem-a2a:history'",
      '"urn:tandem-a2a:history": { "omitted"',
    ],
    ['src/engine/write/transitions.ts', 'MAX_TRANSITIONS = 100', 'the last 100, found in'],
    ['src/engine/write/transitions.ts', 'SCAN_BYTES = 8 * 2 ** 20', 'about the last 8 MiB of its events'],
    ['src/server/bindings/http-context.ts', 'key.length > 255', '255 characters'],
    ['src/support/name.ts', 'MAX_NAME = 256', '256 characters each'],
    ['src/support/name.ts', 'MAX_CALLER = 512', '512 characters: beyond that'],
    ['src/store/postgres/write/index-row.ts', 'MAX_BYTES = 2640', 'about 2,600 bytes'],
    ['src/node/serve.ts', 'headersTimeout: 20_000', '20 s to arrive'],
    ['src/node/serve.ts', 'requestTimeout: 60_000', '60 s to arrive'],
    ['src/engine/outbox/push-configs.ts', 'MAX_DEPTH = 8', '8 levels deep'],
    ['src/server/operations/push-operations.ts', 'MAX_WHOLE = 16_384', '16,384 characters as a whole'],
    [
      'src/server/operations/push-operations.ts',
      'url: 2048,\n  id: 256,\n  token: 4096',
      '2,048, 256 and 4,096 characters',
    ],
    ['src/server/operations/push-operations.ts', "scheme': 64", '64 characters for the scheme'],
    ['src/server/operations/push-operations.ts', "credentials': 8192", '8,192 for the credentials'],
    ['src/node/listener.ts', 'STALL_MS = 30_000', '30 s without progress'],
    ['src/server/http/piece-stream.ts', 'STALL_MS = 30_000', '30 s without progress'],
    ['src/host/limits/body-pace.ts', 'BYTES_PER_CHECK = 64 * 2 ** 10', '64 KiB/s after the first 5 s'],
    ['src/host/limits/bytes-in-flight.ts', 'UNCOUNTED_BYTES = 64 * 2 ** 10', 'up to 64 KiB are not counted'],
    ['src/host/limits/token-buckets.ts', 'MAX_BUCKETS = 10_000', 'at most 10,000 callers'],
    ['src/engine/schedule/slots.ts', 'SLOTS_PER_RESERVED = 10', 'more than a tenth of the slots are free'],
    ['src/engine/schedule/slots.ts', 'QUEUE_SHARE = 0.8', 'may fill four fifths of `queue`'],
    [
      'src/host/limits/address.ts',
      'digest(networkOf(address)).slice(-3)',
      `one of ${(36 ** 3).toLocaleString('en-US')} short names`,
    ],
  ];

  for (const [path, code, words] of facts) {
    expect([path, source(path).includes(code)]).toEqual([path, true]);
    expect(PAGE).toContain(words);
  }
});

test('the default limits of decoders are those of the server', () => {
  expect(READ_LIMITS).toMatchObject({ maxDepth: DEFAULT_LIMITS.depth, maxItems: DEFAULT_LIMITS.items });
});
