/** A proxy that says where callers are, to an agent that was not told to believe it. */
import { expect, test } from 'vitest';

import { bearerTokens } from '../../src/server/auth/bearer-tokens.ts';
import { keptLog } from '../helpers/kept-log.ts';
import { asked, bearerOf } from './auth/kinds.ts';
import { startServer, type TestServerOptions } from './kit/server.ts';
import { REST_1 } from './kit/voices.ts';

const TOKENS = bearerTokens({ alice: 'right' });
const BEHIND: TestServerOptions = { auth: TOKENS, limits: { failedLogins: { perMinute: 10, burst: 2 } } };

async function served(options: TestServerOptions) {
  const log = keptLog();
  const server = await startServer({ ...BEHIND, ...options, log });
  return {
    said: (): readonly string[] =>
      log.lines.map(({ message }) => message).filter((line) => line !== 'Request rejected'),
    ask: async (token: string, headers: Readonly<Record<string, string>>): Promise<number> => {
      const ask = asked(REST_1.get('unknown'), bearerOf(token));
      return (await server.ask({ ...ask, headers: { ...ask.headers, ...headers } })).status;
    },
  };
}

const FORWARDED = { 'x-forwarded-for': '192.0.2.1' };

test('the log says once why all are slowed down, when the first is refused', async () => {
  const { ask, said } = await served({});

  expect(await ask('right', FORWARDED)).toBe(404);
  expect(said()).toEqual([]);
  for (let i = 0; i < 4; i++) await ask('wrong', FORWARDED);
  expect(await ask('right', { 'x-forwarded-for': '192.0.2.2' })).toBe(429);
  expect(said()).toEqual([
    'Ignored X-Forwarded-For, so callers behind the proxy share its limits. Set trustProxy if the proxy is yours',
  ]);
});

test.each([
  ['to one who believes it', { trustProxy: true }, FORWARDED],
  ['without a proxy', {}, {}],
  ['about what is no address', {}, { 'x-forwarded-for': 'unknown' }],
])('there is nothing to say %s', async (_, options, headers) => {
  const { ask, said } = await served(options);

  expect(await ask('wrong', headers)).toBe(401);

  expect(said()).toEqual([]);
});
