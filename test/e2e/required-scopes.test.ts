/** Authenticated callers without a required scope: rejected, audited by name, and counted against the rate limit. */
import { expect, test } from 'vitest';

import type { AuditRecord } from '../../src/observe/audit.ts';
import type { Authenticator } from '../../src/host/auth/authenticator.ts';
import { bearerTokens } from '../../src/host/auth/bearer-tokens.ts';
import { verifies } from '../helpers/verifies.ts';
import { asked, bearerOf } from './auth/kinds.ts';
import { startServer, type TestServerOptions } from './kit/server.ts';
import { WIRE_FORMATS } from './kit/wire-formats.ts';

const TIMINGS = ['synchronous', 'asynchronous'] as const;
const TOKENS = bearerTokens({ ann: { token: 'a', scopes: ['look'] }, bob: { token: 'b', scopes: ['use'] } });
/** The same, but asynchronous. */
const SLOW_TOKENS: Authenticator = { ...TOKENS, authenticate: async (...given) => TOKENS.authenticate(...given) };
const [ANN, BOB] = [bearerOf('a'), bearerOf('b')];

function guarded(timing: (typeof TIMINGS)[number], more: TestServerOptions = {}) {
  const auth = timing === 'synchronous' ? TOKENS : SLOW_TOKENS;
  return startServer({ auth, access: { requiredScopes: ['use'] }, ...more });
}

const CASES = WIRE_FORMATS.flatMap((format) => TIMINGS.map((timing) => ({ format, timing, name: format.name })));

test.each(CASES)(
  verifies(
    ['E-19', 'O-01'],
    '$name, $timing auth: a caller without a required scope gets 403, an audit record, and 429 over the rate limit',
  ),
  async ({ format, timing }) => {
    const records: AuditRecord[] = [];
    const rate = { perMinute: 1, burst: 2 };
    const server = await guarded(timing, { limits: { rate }, audit: (record) => void records.push(record) });

    const answers = [];
    for (let i = 0; i < 3; i++) answers.push(await server.ask(asked(format.send({ text: 'hello' }), ANN)));

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
    expect((await server.ask(asked(format.send({ text: 'hello' }), BOB))).status).toBe(200);
    expect(server.runs()).toBe(1);
  },
);

const PAGES = ['/.well-known/agent-card.json', '/agent/authenticatedExtendedCard', '/extendedAgentCard', '/metrics'];
test.each(PAGES)(
  verifies('O-01', '%s gets 403 without a required scope, and the audit record names the caller'),
  async (path) => {
    const records: AuditRecord[] = [];
    const server = await guarded('synchronous', {
      access: { requiredScopes: ['use'], protectCard: true },
      extendedCard: true,
      metrics: true,
      audit: (record) => void records.push(record),
    });
    const ask = { method: 'GET', path };

    expect((await server.ask(asked(ask, ANN))).status).toBe(403);
    expect(records).toMatchObject([{ reason: 'PERMISSION_DENIED', caller: 'ann', detail: 'use', path }]);
    expect((await server.ask(asked(ask, BOB))).status).toBe(200);
  },
);

test.each(['/message:send', '/a2a'])(
  'the server does not read the body of a request to %s without a required scope',
  async (path) => {
    const { server } = await guarded('synchronous');
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
  },
);
