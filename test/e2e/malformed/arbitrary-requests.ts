/** Arbitrary requests for property tests, and the texts that must be in no response. */
import fc from 'fast-check';
import { expect } from 'vitest';
import type { JsonValue } from '../../../src/model/json.ts';
import { arbitraryJson } from '../../helpers/arbitrary-model.ts';
import { arbitraryMutation } from '../../helpers/hostile-json.ts';
import type { Answer } from './exchange.ts';

/** HTTP methods that the server knows, and others. */
export const VERBS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'] as const;

/** Every path with an endpoint; `$ID` is a placeholder. */
export const PATHS = [
  '/',
  '/a2a',
  '/a2a/',
  '/.well-known/agent-card.json',
  '/.well-known/agent.json',
  '/healthz',
  '/readyz',
  '/.well-known/jwks.json',
  '/metrics',
  '/message:send',
  '/message:stream',
  '/tasks',
  '/tasks/$ID',
  '/tasks/$ID:cancel',
  '/tasks/$ID:subscribe',
  '/tasks/$ID/pushNotificationConfigs',
  '/tasks/$ID/pushNotificationConfigs/$ID',
  '/extendedAgentCard',
  '/card',
  '/$ID',
];

/** Bytes that a header or a path may contain on the wire. */
export const arbitraryText = fc.oneof(
  fc.constantFrom('', '0', '-1', '1', '3', '99999999999999999999', '1e9', 'NaN', '%', '%00', '%ff', '%2e%2e%2f', '..'),
  fc.string({ unit: fc.integer({ min: 0x21, max: 0xff }).map((code) => String.fromCharCode(code)), maxLength: 60 }),
  fc.string({ unit: 'grapheme-ascii', maxLength: 20 }).map((text) => encodeURIComponent(text)),
);

/** Headers that the server or a proxy reads. Node rejects some of the values by itself. */
export const arbitraryHeaders = fc.array(
  fc.tuple(
    fc.constantFrom(
      'Last-Event-ID',
      'Authorization',
      'X-API-Key',
      'Cookie',
      'A2A-Version',
      'A2A-Extensions',
      'X-A2A-Extensions',
      'Idempotency-Key',
      'Accept',
      'Content-Type',
      'If-None-Match',
      'If-Modified-Since',
      'X-Forwarded-For',
      'X-Forwarded-Host',
      'X-Forwarded-Proto',
      'X-Forwarded-Prefix',
      'traceparent',
      'Range',
      'Origin',
    ),
    fc.oneof(
      arbitraryText,
      fc.constantFrom('1.0', '0.3', '0.2', '0.1', 'text/event-stream', '*/*', 'application/json', 'Bearer ', 'Basic ='),
      arbitraryText.map((text) => `Bearer ${text}`),
    ),
  ),
  { maxLength: 5 },
);

export const arbitraryParams = fc.oneof(
  arbitraryJson,
  fc
    .tuple(
      fc.constantFrom(
        { id: '$TASK', historyLength: 1 },
        { id: '$TASK', message: { role: 'user', parts: [{ type: 'text', text: 'hi' }] } },
        { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }] } },
        { message: { kind: 'message', messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'hi' }] } },
        {
          taskId: '$TASK',
          id: 'c',
          url: 'https://example.com',
          pushNotificationConfig: { url: 'https://example.com' },
        },
      ),
      fc.array(arbitraryMutation, { maxLength: 2 }),
    )
    .map(([valid, mutations]) => mutations.reduce<JsonValue>((now, mutate) => mutate(now), valid)),
);

export const arbitraryBody = fc.option(
  fc.oneof(
    arbitraryParams.map((json) => JSON.stringify(json)),
    fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
  ),
  { nil: undefined },
);

/** Stacks and names of files and internal errors, which show the inside of the server. */
export const LEAKS = /\n\s+at |node:internal|node_modules|\.[cm]?[jt]s:\d+|SqliteError|TypeError|RangeError/;

export function assertNoInternals({ status, headers, text }: Answer): void {
  expect(status).not.toBe(500);
  expect(text).not.toContain('-32603');
  expect(text).not.toMatch(LEAKS);
  if (status === 401) expect(headers).toHaveProperty('www-authenticate');
  if (text !== '' && headers['content-type']?.startsWith('text/') !== true) JSON.parse(text);
}

/** Without white space and `#`, which would end the path in the request line. */
export function pathSafe(text: string): string {
  return text.replaceAll(/[\s#]/g, '');
}
