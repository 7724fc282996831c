/** Callers who are known, and lack what every caller needs: refused, but by name, and counted like all others. */
import { expect, test } from 'vitest';

import type { AuditRecord } from '../../src/observe/audit.ts';
import type { Authenticator } from '../../src/server/auth/authenticator.ts';
import { bearerTokens } from '../../src/server/auth/bearer-tokens.ts';
import { verifies } from '../helpers/verifies.ts';
import { asked, bearerOf } from './auth/kinds.ts';
import { startServer, type TestServerOptions } from './kit/server.ts';
import { VOICES } from './kit/voices.ts';

const BOTH = ['at once', 'later'] as const;
const TOKENS = bearerTokens({ ann: { token: 'a', scopes: ['look'] }, bob: { token: 'b', scopes: ['use'] } });
/** The same, after a look elsewhere. */
const SLOW_TOKENS: Authenticator = { ...TOKENS, authenticate: async (...given) => TOKENS.authenticate(...given) };
const [ANN, BOB] = [bearerOf('a'), bearerOf('b')];

function guarded(how: (typeof BOTH)[number], more: TestServerOptions = {}) {
  const auth = how === 'at once' ? TOKENS : SLOW_TOKENS;
  return startServer({ auth, access: { requiredScopes: ['use'] }, ...more });
}

const CASES = VOICES.flatMap((voice) => BOTH.map((how) => ({ voice, how, name: voice.name })));

test.each(CASES)(verifies(['E-19', 'O-01'], '$name, known $how: who lacks a scope'), async ({ voice, how }) => {
  const records: AuditRecord[] = [];
  const rate = { perMinute: 1, burst: 2 };
  const server = await guarded(how, { limits: { rate }, audit: (record) => void records.push(record) });

  const answers = [];
  for (let i = 0; i < 3; i++) answers.push(await server.ask(asked(voice.send({ text: 'hello' }), ANN)));

  expect(answers.map(({ status, headers }) => [status, headers['x-ratelimit-remaining']])).toEqual([
    [403, '1'],
    [403, '0'],
    [429, '0'],
  ]);
  expect(records.map(({ reason, caller, detail }) => [reason, caller, detail])).toEqual([
    ['PERMISSION_DENIED', 'ann', 'use'],
    ['PERMISSION_DENIED', 'ann', 'use'],
    ['RATE_LIMIT_EXCEEDED', 'ann', 'rate'],
  ]);
  expect((await server.ask(asked(voice.send({ text: 'hello' }), BOB))).status).toBe(200);
  expect(server.runs()).toBe(1);
});

const PAGES = ['/.well-known/agent-card.json', '/agent/authenticatedExtendedCard', '/extendedAgentCard', '/metrics'];
test.each(PAGES)(verifies('O-01', '%s is not for him either, and the audit knows his name'), async (path) => {
  const records: AuditRecord[] = [];
  const server = await guarded('at once', {
    access: { requiredScopes: ['use'], protectCard: true },
    extendedCard: true,
    metrics: true,
    audit: (record) => void records.push(record),
  });
  const ask = { method: 'GET', path };

  expect((await server.ask(asked(ask, ANN))).status).toBe(403);
  expect(records).toMatchObject([{ reason: 'PERMISSION_DENIED', caller: 'ann', detail: 'use', path }]);
  expect((await server.ask(asked(ask, BOB))).status).toBe(200);
});

test.each(['/message:send', '/a2a'])('%s: his body is not read', async (path) => {
  const { server } = await guarded('at once');
  let pulled = 0;
  const body = new ReadableStream<Uint8Array>(
    { pull: (controller) => controller.enqueue(new Uint8Array(++pulled)) },
    { highWaterMark: 0 },
  );
  const headers = { ...ANN.headers, 'content-type': 'application/json' };

  const answer = await server.handler.fetch(
    new Request(`http://localhost${path}`, { method: 'POST', headers, body, duplex: 'half' }),
  );

  expect(answer.status).toBe(403);
  expect(pulled).toBe(0);
});
