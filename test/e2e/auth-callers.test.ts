/** What authenticators and functions given as `auth` may say of a caller, and what is made of it. */
import { describe, expect, test } from 'vitest';

import { A2AError } from '../../src/errors.ts';
import type { AuthenticateHook, Authenticator } from '../../src/server/auth/authenticator.ts';
import { bearerTokens } from '../../src/server/auth/bearer-tokens.ts';
import { keptLog } from '../helpers/kept-log.ts';
import { verifies } from '../helpers/verifies.ts';
import { asked, bearerOf } from './auth/kinds.ts';
import { startServer } from './kit/server.ts';
import { REST_1, RPC_1 } from './kit/voices.ts';

const TOKENS = bearerTokens({ alice: 'right' });
const GUEST: AuthenticateHook = () => ({ id: 'guest', isVerified: false });

describe('a caller that is none', () => {
  const ALICE = { id: 'alice', isVerified: true };
  const FAULTS: readonly (readonly [string, unknown, string])[] = [
    ['a text', 'alice', 'it is a text'],
    ['a list', ['alice'], 'it is a list'],
    ['one without a name', { ...ALICE, id: '' }, 'id must be a text'],
    ['one whose name is a number', { ...ALICE, id: 7 }, 'id must be a text'],
    ['one whose name has a NUL', { ...ALICE, id: 'alice\0x' }, 'id must be a text'],
    ['one whose name has half a character', { ...ALICE, id: 'alice\ud800' }, 'id must be a text'],
    ['one that may be verified', { id: 'alice' }, 'isVerified must be true or false, not undefined'],
    ['one that is verified by a word', { ...ALICE, isVerified: 'no' }, 'isVerified must be true or false, not a text'],
    ['scopes in one text', { ...ALICE, scopes: 'readonly' }, 'scopes must be a list of texts, not a text'],
    ['scopes that are no texts', { ...ALICE, scopes: [null] }, 'scopes must be a list of texts'],
    ['tenants in one text', { ...ALICE, tenants: 'acme-corp' }, 'tenants must be a list of texts, not a text'],
    ['tenants in an object', { ...ALICE, tenants: {} }, 'tenants must be a list of texts, not an object'],
    ['no time at all', { ...ALICE, expiresAt: Number.NaN }, 'expiresAt must be a time'],
    ['a time in words', { ...ALICE, expiresAt: '2030-01-01' }, 'expiresAt must be a time'],
  ];
  const bare = (authenticate: unknown): Authenticator =>
    ({ schemes: {}, challenge: '', authenticate }) as unknown as Authenticator;
  const ways = (found: unknown): readonly (readonly [string, AuthenticateHook | Authenticator])[] => [
    ['by a function', (() => found) as AuthenticateHook],
    ['by a function, later', (async () => found) as AuthenticateHook],
    ['by an authenticator', bare(() => found)],
    ['by an authenticator, later', bare(async () => found)],
  ];
  const cases = FAULTS.flatMap(([what, found, sentence]) =>
    ways(found).map(([how, auth]) => ({ what: `${what}, ${how}`, auth, sentence })),
  );

  test.each(cases)(verifies('H-04', '$what: is let in nowhere, and its author is told'), async ({ auth, sentence }) => {
    const log = keptLog();
    const server = await startServer({ auth, log });

    const answer = await server.ask(RPC_1.send({ text: 'hello' }));

    expect(RPC_1.error(answer)).toMatchObject({ reason: 'INTERNAL_ERROR' });
    expect(answer.text).not.toContain('isVerified');
    expect(server.runs()).toBe(0);
    expect(log.lines).toMatchObject([
      { level: 'error', fields: { error: { message: expect.stringContaining(sentence) } } },
    ]);
  });

  test.each(ways({ ...ALICE, id: 'a'.repeat(513) }))(
    verifies('H-04', 'one whose name is too long, %s: is let in nowhere, and told why'),
    async (_, auth) => {
      const server = await startServer({ auth });

      const answer = await server.ask(RPC_1.send({ text: 'hello' }));

      expect(answer.status).toBe(401);
      expect(RPC_1.error(answer)).toMatchObject({
        reason: 'UNAUTHENTICATED',
        message: 'Your credentials give you an id of more than 512 characters: get shorter ones',
      });
      expect(server.runs()).toBe(0);
    },
  );

  test('one whose name is as long as may be is let in', async () => {
    const server = await startServer({ auth: () => ({ ...ALICE, id: 'a'.repeat(512) }) });

    expect(RPC_1.sent(await server.ask(RPC_1.send({ text: 'hello' })))).toMatchObject({ task: { state: 'completed' } });
  });

  test.each(ways(null))('null %s means that nobody is known, as undefined does', async (_, auth) => {
    const server = await startServer({ auth });

    expect((await server.ask(REST_1.get('x'))).status).toBe(401);
  });
});

describe('where guests are let in', () => {
  const LATER: AuthenticateHook = async (request) => GUEST(request);

  test.each([
    ['at once', GUEST],
    ['later', LATER],
  ])(verifies('H-04', 'who brings nothing is one, and who brings something wrong is not: %s'), async (_, guest) => {
    const server = await startServer({ auth: [TOKENS, guest] });
    const about = RPC_1.send({ text: 'about' });

    const wrong = await server.ask(asked(about, bearerOf('rihgt')));

    expect((await server.ask(about)).text).toContain('"caller":"guest"');
    expect((await server.ask(asked(about, bearerOf('right')))).text).toContain('"caller":"alice"');
    expect(wrong.status).toBe(401);
    expect(wrong.headers['www-authenticate']).toBe('Bearer realm="a2a", error="invalid_token"');
    expect(server.runs()).toBe(2);
  });

  test('whose credentials nobody can check at the moment comes again', async () => {
    const away: AuthenticateHook = async () => Promise.reject(new A2AError('UNAVAILABLE', 'The issuer is away'));
    const server = await startServer({ auth: [away, GUEST] });

    expect((await server.ask(REST_1.get('x'))).status).toBe(503);
  });

  test('the right credentials count, even if a guest could come in before', async () => {
    const other = bearerTokens({ bob: 'of-bob' });
    const server = await startServer({ auth: [TOKENS, GUEST, other] });

    const answer = await server.ask(asked(RPC_1.send({ text: 'about' }), bearerOf('of-bob')));

    expect(answer.text).toContain('"caller":"bob"');
  });

  test.each([
    ['at once', GUEST],
    ['later', LATER],
  ])(verifies('H-14', 'who guesses is slowed down, and each guess counts once: %s'), async (_, guest) => {
    const failedLogins = { perMinute: 1, burst: 3 };
    const server = await startServer({ auth: [TOKENS, guest], limits: { failedLogins } });

    const statuses: number[] = [];
    for (let i = 0; i < 5; i++) {
      statuses.push((await server.ask(asked(REST_1.get('x'), bearerOf(`guess-${i}`)))).status);
    }

    expect(statuses).toEqual([401, 401, 401, 429, 429]);
  });
});
