/** The callers that authenticators and `auth` functions may return, and how the server treats invalid ones. */
import { describe, expect, test } from 'vitest';

import { A2AError } from '../../src/errors.ts';
import type { AuthenticateHook, Authenticator } from '../../src/host/auth/authenticator.ts';
import { bearerTokens } from '../../src/host/auth/bearer-tokens.ts';
import { recordingLog } from '../helpers/recording-log.ts';
import { verifies } from '../helpers/verifies.ts';
import { asked, bearerOf } from './auth/kinds.ts';
import { startServer } from './kit/server.ts';
import { REST_1, RPC_1 } from './kit/wire-formats.ts';

const TOKENS = bearerTokens({ alice: 'right' });
const GUEST: AuthenticateHook = () => ({ id: 'guest', isVerified: false });

describe('an invalid caller returned by auth', () => {
  const ALICE = { id: 'alice', isVerified: true };
  const FAULTS: readonly (readonly [string, unknown, string])[] = [
    ['a string', 'alice', 'got a string'],
    ['an array', ['alice'], 'got an array'],
    ['an empty id', { ...ALICE, id: '' }, 'id: expected a non-empty string'],
    ['an id that is a number', { ...ALICE, id: 7 }, 'id: expected a non-empty string'],
    ['an id with a NUL', { ...ALICE, id: 'alice\0x' }, 'id: expected a non-empty string'],
    ['an id with half a surrogate pair', { ...ALICE, id: 'alice\ud800' }, 'id: expected a non-empty string'],
    ['no isVerified', { id: 'alice' }, 'isVerified: expected true or false, got undefined'],
    ['isVerified as a string', { ...ALICE, isVerified: 'no' }, 'isVerified: expected true or false, got a string'],
    ['scopes as one string', { ...ALICE, scopes: 'readonly' }, 'scopes: expected an array of strings, got a string'],
    ['scopes that are not strings', { ...ALICE, scopes: [null] }, 'scopes: expected an array of strings'],
    [
      'tenants as one string',
      { ...ALICE, tenants: 'acme-corp' },
      'tenants: expected an array of strings, got a string',
    ],
    ['tenants as an object', { ...ALICE, tenants: {} }, 'tenants: expected an array of strings, got an object'],
    ['an expiresAt of NaN', { ...ALICE, expiresAt: Number.NaN }, 'expiresAt: expected a time'],
    ['an expiresAt as a string', { ...ALICE, expiresAt: '2030-01-01' }, 'expiresAt: expected a time'],
  ];
  const bare = (authenticate: unknown): Authenticator =>
    ({ schemes: {}, challenge: '', authenticate }) as unknown as Authenticator;
  const ways = (found: unknown): readonly (readonly [string, AuthenticateHook | Authenticator])[] => [
    ['from a function', (() => found) as AuthenticateHook],
    ['from an async function', (async () => found) as AuthenticateHook],
    ['from an authenticator', bare(() => found)],
    ['from an async authenticator', bare(async () => found)],
  ];
  const cases = FAULTS.flatMap(([fault, found, sentence]) =>
    ways(found).map(([source, auth]) => ({ fault: `${fault}, ${source}`, auth, sentence })),
  );

  test.each(cases)(verifies('H-04', '$fault: the server rejects it and logs the fault'), async ({ auth, sentence }) => {
    const log = recordingLog();
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
    verifies('H-04', 'an id of 513 characters, %s: the server rejects it and the response names the limit'),
    async (_, auth) => {
      const server = await startServer({ auth });

      const answer = await server.ask(RPC_1.send({ text: 'hello' }));

      expect(answer.status).toBe(401);
      expect(RPC_1.error(answer)).toMatchObject({
        reason: 'UNAUTHENTICATED',
        message: 'The caller id in your credentials is longer than 512 characters: use credentials with a shorter id',
      });
      expect(server.runs()).toBe(0);
    },
  );

  test('an id of 512 characters is valid', async () => {
    const server = await startServer({ auth: () => ({ ...ALICE, id: 'a'.repeat(512) }) });

    expect(RPC_1.sent(await server.ask(RPC_1.send({ text: 'hello' })))).toMatchObject({ task: { state: 'completed' } });
  });

  test.each(ways(null))('a caller of null %s is an anonymous caller, like undefined', async (_, auth) => {
    const server = await startServer({ auth });

    expect((await server.ask(REST_1.get('x'))).status).toBe(401);
  });
});

describe('with a guest caller at the end of the auth list', () => {
  const LATER: AuthenticateHook = async (request) => GUEST(request);

  test.each([
    ['a sync function', GUEST],
    ['an async function', LATER],
  ])(
    verifies('H-04', 'a request without credentials is the guest, and a request with a wrong token gets 401: %s'),
    async (_, guest) => {
      const server = await startServer({ auth: [TOKENS, guest] });
      const about = RPC_1.send({ text: 'about' });

      const wrong = await server.ask(asked(about, bearerOf('rihgt')));

      expect((await server.ask(about)).text).toContain('"caller":"guest"');
      expect((await server.ask(asked(about, bearerOf('right')))).text).toContain('"caller":"alice"');
      expect(wrong.status).toBe(401);
      expect(wrong.headers['www-authenticate']).toBe('Bearer realm="a2a", error="invalid_token"');
      expect(server.runs()).toBe(2);
    },
  );

  test('a request gets 503 while its credentials cannot be checked', async () => {
    const away: AuthenticateHook = async () => Promise.reject(new A2AError('UNAVAILABLE', 'The issuer is away'));
    const server = await startServer({ auth: [away, GUEST] });

    expect((await server.ask(REST_1.get('x'))).status).toBe(503);
  });

  test('valid credentials win, even if the guest stands earlier in the list', async () => {
    const other = bearerTokens({ bob: 'of-bob' });
    const server = await startServer({ auth: [TOKENS, GUEST, other] });

    const answer = await server.ask(asked(RPC_1.send({ text: 'about' }), bearerOf('of-bob')));

    expect(answer.text).toContain('"caller":"bob"');
  });

  test.each([
    ['a sync function', GUEST],
    ['an async function', LATER],
  ])(
    verifies('H-14', 'each wrong token counts once as a failed login, and more than the burst get 429: %s'),
    async (_, guest) => {
      const failedLogins = { perMinute: 1, burst: 3 };
      const server = await startServer({ auth: [TOKENS, guest], limits: { failedLogins } });

      const statuses: number[] = [];
      for (let i = 0; i < 5; i++) {
        statuses.push((await server.ask(asked(REST_1.get('x'), bearerOf(`guess-${i}`)))).status);
      }

      expect(statuses).toEqual([401, 401, 401, 429, 429]);
    },
  );
});
