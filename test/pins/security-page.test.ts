import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DEFAULT_PUSH_POLICY } from '../../src/engine/outbox/push-policy.ts';
import { DEFAULT_RETENTION } from '../../src/engine/schedule/retention.ts';
import { DEFAULT_LIMITS as RUN_LIMITS } from '../../src/engine/runnable.ts';
import { ACCESS } from '../../src/host/options/access-options.ts';
import { FILES } from '../../src/host/options/file-options.ts';
import { PUSH } from '../../src/host/options/push-options.ts';
import { ROOT, isTestFile } from '../helpers/source.ts';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
/** The page, with each list item on one line. */
const PAGE = read('docs/security.md').replaceAll(/\n {2}(?=\S)/g, ' ');

const HOUR_MS = 3_600_000;
const { maxAgeMs, maxEnded, replayWindowMs } = DEFAULT_RETENTION;
const { concurrency, perReceiver, disableAfter, maxDeadLetters, maxAgeMs: pushAgeMs } = DEFAULT_PUSH_POLICY;
const counted = (number: number): string => number.toLocaleString('en-US');

/** Texts of the page that contain defaults of the code. */
const DEFAULTS: readonly string[] = [
  `Tasks are deleted ${maxAgeMs / HOUR_MS / 24} days after their end`,
  `more than ${counted(maxEnded)} that have ended`,
  `Their events are deleted after ${replayWindowMs / HOUR_MS} hour`,
  `open for ${RUN_LIMITS.questionTtlMs / HOUR_MS / 24} days (\`questionTtlMs\`)`,
  `\`cancelGraceMs\` (${RUN_LIMITS.cancelGraceMs / 1000} s) and one more second`,
  `| ${concurrency}, of them ${perReceiver} to one host |`,
  `one event is retried | ${pushAgeMs / HOUR_MS} hours |`,
  `configuration is disabled | ${disableAfter} |`,
  `dead letters kept | ${counted(maxDeadLetters)} |`,
  `| ${PUSH.timeoutMs.byDefault / 1000} s,`,
  `| ${FILES.maxBytes.byDefault / 2 ** 20} MiB, ${FILES.timeoutMs.byDefault / 1000} s,`,
  `| \`streamGraceMs\` | \`${ACCESS.streamGraceMs.byDefault}\` |`,
];

/** Texts of the page that contain a constant of the code: the file, the code, the text. */
const CONSTANTS: readonly (readonly [path: string, code: string, text: string])[] = [
  ['src/engine/tasks/submission.ts', 'KEEP_KEY_MS = 24 * 60 * 60 * 1000', 'remembered for 24 hours'],
  ['src/engine/tasks/cancel.ts', 'REVOKE_AFTER_MS = 1000;', '(2 s) and one more second'],
  ['src/engine/tasks/cancel.ts', 'REVOKE_AFTER_MS = 1000;', 'ended and deleted 1 s after the signal'],
  ['src/host/auth/jwt/verify-jwt.ts', 'TOLERANCE_SECONDS = 30', '30 s (`clockToleranceSeconds`)'],
  [
    'src/host/auth/jwt/verify-jwt.ts',
    'expiresAt: (exp + rules.clockToleranceSeconds) * 1000',
    'A JWT ends 30 s (`clockToleranceSeconds`) after its `exp`',
  ],
  ['src/host/auth/jwt/verify-jwt.ts', 'MAX_SUBJECT = 255', 'name of a caller | 255 characters |'],
  ['src/host/auth/configured-callers.ts', 'MAX_NAME = 255', 'name of a caller | 255 characters |'],
  ['src/host/auth/jwt/jwt-authenticator.ts', 'MAX_AGE_MS = 60_000', 'in the cache for a minute at most'],
  ['src/host/auth/jwt/jwt-authenticator.ts', 'MAX_TOKENS = 4096', 'up to 4096 tokens'],
  ['src/host/auth/jwt/issuer.ts', 'TIMEOUT_MS = 5000', 'over https, with a timeout of 5 s'],
  ['src/support/remote-keys.ts', 'FRESH_MS = 10 * 60_000', 'refreshes them after 10 minutes'],
  ['src/support/remote-keys.ts', 'STALE_MS = 24 * 60 * 60_000', 'they stay valid for a day'],
  ['src/support/remote-keys.ts', 'MIN_REFRESH_MS = 30_000', 'at most every 30 s'],
  ['src/host/auth/hosted.ts', 'UNSET_RETRY_MS = 5000', '`Retry-After` (5 s)'],
  ['src/host/auth/jwt/jwt-authenticator.ts', 'MAX_LENGTH = 16_384', '16,384 characters'],
  ['src/server/http/transport-security.ts', 'max-age=31536000', '`Strict-Transport-Security` for a year'],
  ['src/store/sqlite/database/private-file.ts', 'OWNER_ONLY = 0o600', 'for its owner alone (600)'],
  ['src/push/webhook-signature.ts', 'MIN_SECRET_BYTES = 16;', '| 16 bytes |'],
  ['src/support/http-client/http-client.ts', 'maxBytes: 64 * 1024', '| 64 KiB |'],
  ['src/push/fetch-file.ts', 'MAX_REDIRECTS = 3;', '3 redirects'],
  ['src/server/serverless/serverless-options.ts', 'byDefault: 5 * 60_000', 'valid for 5 minutes,'],
  ['src/server/serverless/signature.ts', 'SKEW_MS = 60_000', 'differ by 60 s at most |'],
  ['src/server/serverless/endpoints.ts', 'MAX_BODY_BYTES = 1024;', '| 1 KiB |'],
  ['src/server/serverless/serverless-options.ts', 'MIN_SECRET_BYTES = 16;', '| 16 bytes each |'],
  ['src/host/options/push-options.ts', 'least: 10_000', 'at least 10 s'],
  ['src/host/options/push-options.ts', 'most: 30_000', 'at most 30 s |'],
  ['src/webhooks/handler.ts', 'MAX_BODY_BYTES = 8 * 2 ** 20', '| 8 MiB, 5 minutes old |'],
  ['src/webhooks/checks.ts', 'TOLERANCE_MS = 5 * 60_000', '| 8 MiB, 5 minutes old |'],
  ['src/webhooks/seen-ids.ts', 'memorySeenIds(max = 10_000)', 'remembered by a receiver | 10,000 |'],
];

/** Recommended numbers, which are not in the code. */
const ADVICE = ['Use a shared secret of at least 32 random bytes'];

describe('docs/security.md', () => {
  test.each(DEFAULTS)('has the default of the code: %s', (words) => {
    expect(PAGE).toContain(words);
  });

  test.each(CONSTANTS)('has the constant of %s: %s', (path, code, words) => {
    expect(read(path)).toContain(code);
    expect(PAGE).toContain(words);
  });

  test('has no number that this test does not compare', () => {
    const known = [...DEFAULTS, ...CONSTANTS.map(([, , words]) => words), ...ADVICE];
    const without = known.reduce((text, words) => text.replaceAll(words, ''), PAGE);
    const units = /\b\d[\d,]*\s+(?:s|ms|minutes?|hours?|days?|KiB|MiB|bytes|characters|tokens|redirects|times)\b/g;

    expect(PAGE.match(units)?.length).toBeGreaterThan(15);
    expect(without.match(units) ?? []).toEqual([]);
    expect(without.match(/^\|.*\| \d[\d,]* \|$/gm) ?? []).toEqual([]);
  });

  test('names existing tests for every threat', () => {
    const section = PAGE.split('## Threats\n')[1]?.split('\n## ')[0] ?? '';
    const rows = section.split('\n').filter((line) => line.startsWith('| '));
    const threats = rows.slice(2).map((row) => row.split(' | '));
    const named = threats.map(([threat = '', , shown = '']) => [threat, shown.match(/[\w./-]+\.ts/g) ?? []] as const);

    expect(named.length).toBeGreaterThan(15);
    expect(named.filter(([, files]) => files.length === 0)).toEqual([]);
    const missing = named
      .flatMap(([, files]) => files)
      .filter((file) => !isTestFile(file) || !existsSync(join(ROOT, file)));
    expect(missing).toEqual([]);
  });
});
