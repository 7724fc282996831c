/** `X-Forwarded-For` from a proxy that the server does not trust, because `trustProxy` is not set. */
import { expect, test } from 'vitest';

import { bearerTokens } from '../../src/host/auth/bearer-tokens.ts';
import { recordingLog } from '../helpers/recording-log.ts';
import { asked, bearerOf } from './auth/kinds.ts';
import { startServer, type TestServerOptions } from './kit/server.ts';
import { REST_1 } from './kit/wire-formats.ts';

const TOKENS = bearerTokens({ alice: 'right' });
const BEHIND: TestServerOptions = { auth: TOKENS, limits: { failedLogins: { perMinute: 10, burst: 2 } } };

async function served(options: TestServerOptions) {
  const log = recordingLog();
  const server = await startServer({ ...BEHIND, ...options, log });
  return {
    logged: (): readonly string[] =>
      log.lines.map(({ message }) => message).filter((line) => line !== 'Request rejected'),
    ask: async (token: string, headers: Readonly<Record<string, string>>): Promise<number> => {
      const ask = asked(REST_1.get('unknown'), bearerOf(token));
      return (await server.ask({ ...ask, headers: { ...ask.headers, ...headers } })).status;
    },
  };
}

const FORWARDED = { 'x-forwarded-for': '192.0.2.1' };

test('failed logins behind an untrusted proxy log once that X-Forwarded-For is ignored', async () => {
  const { ask, logged } = await served({});

  expect(await ask('right', FORWARDED)).toBe(404);
  expect(logged()).toEqual([]);
  for (let i = 0; i < 4; i++) await ask('wrong', FORWARDED);
  expect(await ask('right', { 'x-forwarded-for': '192.0.2.2' })).toBe(429);
  expect(logged()).toEqual([
    'Ignored X-Forwarded-For, so callers behind the proxy share its limits. Set trustProxy if the proxy is yours',
  ]);
});

test.each([
  ['with trustProxy', { trustProxy: true }, FORWARDED],
  ['without a proxy', {}, {}],
  ['with an invalid address in X-Forwarded-For', {}, { 'x-forwarded-for': 'unknown' }],
])('failed logins log no warning %s', async (_, options, headers) => {
  const { ask, logged } = await served(options);

  for (const status of [401, 401, 429, 429]) expect(await ask('wrong', headers)).toBe(status);

  expect(logged()).toEqual([]);
});
