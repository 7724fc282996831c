import fc from 'fast-check';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { describe, expect, test, vi } from 'vitest';
import { openSecuredServer, RIGHT_TOKEN } from './malformed/secured-server.ts';
import { exchange } from './malformed/exchange.ts';
import { forgedToken } from './malformed/forged-tokens.ts';
import {
  PATHS,
  pathSafe,
  arbitraryBody,
  arbitraryHeaders,
  arbitraryText,
  VERBS,
} from './malformed/arbitrary-requests.ts';
import { startReceiver } from './push/receiver.ts';

/**
 * Every path of an agent with `auth`, with arbitrary credentials: no request with invalid credentials is accepted, nothing breaks,
 * and no secret is in any response or in the log. `TANDEM_SEED` repeats a run, `TANDEM_RUNS` makes it longer.
 */

vi.setConfig({ testTimeout: 120_000 });

const SEED = Number(process.env['TANDEM_SEED'] ?? 20_260_312);
const RUNS = Number(process.env['TANDEM_RUNS'] ?? 400);

/** Paths that need no credentials. */
const PUBLIC = new Set([
  '/.well-known/agent-card.json',
  '/.well-known/agent.json',
  '/.well-known/jwks.json',
  '/healthz',
  '/readyz',
]);
const PROTECTED = PATHS.filter((path) => !PUBLIC.has(path));

/** `Authorization` of any scheme, a key in the query, or nothing. */
const credentials = fc.oneof(
  { weight: 6, arbitrary: forgedToken.map((token) => ({ authorization: `Bearer ${token}`, key: '' })) },
  { weight: 2, arbitrary: arbitraryText.map((text) => ({ authorization: `Basic ${btoa(text)}`, key: '' })) },
  { weight: 1, arbitrary: arbitraryText.map((text) => ({ authorization: `Basic ${text}`, key: '' })) },
  { weight: 1, arbitrary: arbitraryText.map((authorization) => ({ authorization, key: '' })) },
  { weight: 1, arbitrary: arbitraryText.map((key) => ({ authorization: '', key: pathSafe(key) })) },
);

test('arbitrary and forged credentials are rejected on every protected path, and no response has a secret', async () => {
  await using guarded = await openSecuredServer();
  const { server, check } = guarded;
  const seen = new Set<number>();
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...VERBS),
      fc.constantFrom(...PROTECTED),
      credentials,
      arbitraryBody,
      async (method, path, { authorization, key }, body) => {
        const answer = await exchange(server.port, {
          method,
          path: `${path.replaceAll('$ID', guarded.task)}?key=${key}`,
          headers: authorization === '' ? [] : [['Authorization', authorization]],
          ...(body !== undefined && { body }),
        });
        const [, secret = ''] = /^\w+ +(.{12,})$/.exec(authorization) ?? [];
        check(answer, ...(secret === '' ? [] : [secret]));
        seen.add(answer.status);
        // 404 and 405 do not depend on credentials; Node sends 400 and 431 for bytes that cannot be a header.
        expect([400, 401, 404, 405, 431]).toContain(answer.status);
        expect(answer.text).not.toContain(guarded.task);
      },
    ),
    { seed: SEED, numRuns: RUNS },
  );
  expect(seen).toContain(401);
  const headers = [['Authorization', `Bearer ${RIGHT_TOKEN}`]] as const;
  for (const path of ['/tasks', '/metrics', '/extendedAgentCard']) {
    const right = await exchange(server.port, { method: 'GET', path, headers });
    check(right);
    expect([path, right.status]).toEqual([path, 200]);
  }
});

describe('a token with a valid signature of an unknown key', () => {
  const claims = { sub: 'alice', iss: 'https://issuer.example', aud: 'https://agent.example', exp: 9e9 };

  test.each(['jwk', 'jku', 'x5u', 'x5c'])(
    'gets 401 although its header names the key by %s, and the server does not fetch that key',
    async (member) => {
      await using guarded = await openSecuredServer();
      const keys = await startReceiver();
      const { privateKey, publicKey } = await generateKeyPair('ES256');
      const jwk = await exportJWK(publicKey);
      const value = { jwk, jku: keys.url, x5u: keys.url, x5c: ['MIIB'] }[member];
      for (const iss of [guarded.issuer.issuer, 'https://issuer.example', keys.origin]) {
        const header = { alg: 'ES256', kid: 'mine', [member]: value };
        const token = await new SignJWT({ ...claims, iss }).setProtectedHeader(header).sign(privateKey);
        const answer = await exchange(guarded.server.port, {
          method: 'GET',
          path: '/tasks',
          headers: [['Authorization', `Bearer ${token}`]],
        });
        guarded.check(answer, token);
        expect(answer.status).toBe(401);
      }
      expect(keys.connections()).toBe(0);
    },
  );

  test('gets 401 if it is an HS256 token signed with the public key of an issuer', async () => {
    await using guarded = await openSecuredServer();
    const { issuer, server, check } = guarded;
    const published = await (await fetch(issuer.jwksUrl)).text();
    const [key] = (JSON.parse(published) as { keys: object[] }).keys;
    for (const secret of [published, JSON.stringify(key)]) {
      const token = await new SignJWT({ ...claims, iss: issuer.issuer })
        .setProtectedHeader({ alg: 'HS256', kid: 'key-1' })
        .sign(new TextEncoder().encode(secret));
      const headers = [['Authorization', `Bearer ${token}`]] as const;
      const answer = await exchange(server.port, { method: 'GET', path: '/tasks', headers });
      check(answer, token);
      expect(answer.status).toBe(401);
    }
  });
});

test('50 tokens with unknown key ids cause at most two requests to the issuer', async () => {
  await using guarded = await openSecuredServer();
  const { issuer, server } = guarded;
  for (let i = 0; i < 50; i++) {
    const headers = [['Authorization', `Bearer ${await issuer.sign({}, { kid: `made-up-${i}` })}`]] as const;
    const answer = await exchange(server.port, { method: 'GET', path: '/tasks', headers });
    guarded.check(answer);
    expect(answer.status).toBe(401);
  }
  expect(issuer.asked.length).toBeLessThanOrEqual(2);
});

test('an authenticated caller gets a response for every path and method, and no response has a secret', async () => {
  await using guarded = await openSecuredServer();
  const right = ['Authorization', `Bearer ${RIGHT_TOKEN}`] as const;
  const place = fc.tuple(
    fc.constantFrom('', '/v1', '/tenant', '//', '/%2e'),
    fc.constantFrom(...PATHS),
    fc.oneof(fc.constant(guarded.task), arbitraryText.map(pathSafe)),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...VERBS),
      place,
      arbitraryHeaders,
      arbitraryBody,
      async (method, [prefix, path, id], given, content) => {
        const body = content?.replaceAll('$TASK', guarded.task);
        const answer = await exchange(guarded.server.port, {
          method,
          path: `${prefix}${path.replaceAll('$ID', () => id)}`,
          headers: [right, ...given.filter(([name]) => name !== 'Authorization')],
          ...(body !== undefined && { body }),
        });
        guarded.check(answer);
        expect(answer.status).not.toBe(401);
      },
    ),
    { seed: SEED, numRuns: RUNS },
  );
});
