/** Tokens that the client signs with a shared secret. */
import { jwtVerify } from 'jose';
import { expect, test } from 'vitest';

import { connect } from '../../../src/client/connect.ts';
import { connected } from './kit.ts';
import { type Responder, cardAt, failure, json, result, startPeer, task } from './peer.ts';
import { acceptsIf, movableClock, authorizationsOf } from './token-server.ts';

const SECRET = 'a secret of client and agent, long enough';
const AUTH = { secret: SECRET, subject: 'ada@example.com' } as const;

/** Verifies tokens for the address of the peer, and collects their contents. */
function verifying(secret: string, seen: unknown[]): Responder {
  return async ({ headers }, response, { url }) => {
    const token = String(headers['authorization']).replace('Bearer ', '');
    try {
      const { payload, protectedHeader } = await jwtVerify(token, new TextEncoder().encode(secret), { audience: url });
      seen.push({ payload, protectedHeader });
      result(response, { task: task() });
    } catch {
      failure(response, -32000, 'UNAUTHENTICATED', 401);
    }
  };
}

test('a token contains subject, organisation, issuer, audience and own claims, and lasts 300 s', async () => {
  const seen: unknown[] = [];
  const peer = await startPeer(verifying(SECRET, seen));
  const agent = await connected(peer.url, {
    auth: { ...AUTH, orgDomain: 'example.com', issuer: 'https://ada.example.com', claims: { org_id: 7 } },
  });
  expect((await agent.send('hi')).state).toBe('completed');
  expect(seen).toEqual([
    {
      protectedHeader: { alg: 'HS256', typ: 'JWT' },
      payload: {
        sub: 'ada@example.com',
        org_domain: 'example.com',
        iss: 'https://ada.example.com',
        aud: peer.url,
        org_id: 7,
        iat: expect.any(Number),
        exp: expect.any(Number),
      },
    },
  ]);
  const [{ payload }] = seen as [{ payload: { iat: number; exp: number } }];
  expect(payload.exp - payload.iat).toBe(300);
});

test('a token contains only the claims that were specified, with the audience and lifetime of the options', async () => {
  const seen: { payload: Record<string, number> }[] = [];
  const peer = await startPeer(verifying(SECRET, seen));
  const agent = await connected(peer.url, {
    auth: { ...AUTH, secret: new TextEncoder().encode(SECRET), audience: peer.url, lifetimeSeconds: 60 },
  });
  await agent.send('hi');
  const [{ payload } = { payload: {} }] = seen;
  expect(Object.keys(payload).sort()).toEqual(['aud', 'exp', 'iat', 'sub']);
  expect(Number(payload['exp']) - Number(payload['iat'])).toBe(60);
});

test('the client tries the next secret after a 401, and keeps the one that is accepted', async () => {
  const seen: unknown[] = [];
  const peer = await startPeer(verifying(SECRET, seen));
  const orgSecret = { ...AUTH, secret: 'the secret of an organisation', orgDomain: 'example.com' };
  const agent = await connected(peer.url, { auth: [orgSecret, AUTH] });
  await agent.send('hi');
  await agent.send('hi');
  expect(peer.got).toHaveLength(3);
  expect(seen).toMatchObject([{ payload: { sub: AUTH.subject } }, { payload: { sub: AUTH.subject } }]);
});

test.each([
  ['reused 100 s before its end', 200_000, 1],
  ['replaced 20 s before its end', 280_000, 2],
])('a token is %s', async (_case, laterMs, tokens) => {
  const clock = movableClock();
  const peer = await startPeer(acceptsIf(() => true));
  const agent = await connected(peer.url, { auth: AUTH, clock });
  await agent.send('hi');
  clock.move(laterMs);
  await agent.send('hi');
  expect(new Set(authorizationsOf(peer)).size).toBe(tokens);
});

test.each([
  ['replaces a token from an earlier second once', 5000, 2],
  ['does not replace a token from the same second, because the new one would be equal', 0, 1],
])('after a 401 the client %s', async (_case, ageMs, requests) => {
  const clock = { ...movableClock(), now: () => time };
  let time = Date.now();
  let isWelcome = true;
  const peer = await startPeer(acceptsIf(() => isWelcome));
  const agent = await connected(peer.url, { auth: AUTH, clock });
  await agent.send('hi');
  isWelcome = false;
  time += ageMs;
  await expect(agent.send('hi')).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  expect(peer.got).toHaveLength(1 + requests);
});

test('the audience of a token is the origin that receives it', async () => {
  const seen: unknown[] = [];
  const inner = await startPeer(verifying(SECRET, seen));
  const outer = await startPeer(() => {}, { card: (_got, response) => json(response, cardAt(inner.url)) });
  const withheld = await connected(outer.url, { auth: AUTH, allowOrigins: [inner.url] });
  await withheld.send('hi', { wait: 'block' });
  expect(seen).toMatchObject([{ payload: { aud: inner.url } }]);
});

test('connect rejects an empty secret', async () => {
  await expect(connect('http://localhost:1', { auth: { ...AUTH, secret: '' } })).rejects.toMatchObject({
    code: 'INVALID_PARAMS',
  });
});
