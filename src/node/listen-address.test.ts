import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { silentLog } from '../observe/log.ts';
import { agent } from '../agent/agent.ts';
import { memoryStore } from '../store/memory/store.ts';
import { listenAddress } from './listen-address.ts';
import { serve } from './serve.ts';

const ECHO = agent({ name: 'Echo', description: 'Says it again.', run: ({ text }) => text });

function environment(port: string | undefined, host: string | undefined): void {
  vi.stubEnv('PORT', port);
  vi.stubEnv('BIND_HOST', host);
}

beforeEach(() => {
  environment(undefined, undefined);
  vi.stubEnv('A2A_SECRET', '');
  onTestFinished(() => void vi.unstubAllEnvs());
});

test.each([
  ['the default if nothing is set', undefined, undefined, {}, [4100, '127.0.0.1']],
  ['the default if the variables are empty', '', '', {}, [4100, '127.0.0.1']],
  ['PORT and BIND_HOST', '3000', '::1', {}, [3000, '::1']],
  [
    'the options in preference to PORT and BIND_HOST',
    '3000',
    '0.0.0.0',
    { port: 0, host: 'localhost' },
    [0, 'localhost'],
  ],
  ['the options in preference to invalid variables', 'x', 'a b', { port: 1, host: 'localhost' }, [1, 'localhost']],
])('listenAddress() returns %s', (_, port, host, options, expected) => {
  environment(port, host);
  const address = listenAddress(options);
  expect([address.port, address.host]).toEqual(expected);
});

test('serve() listens at PORT and BIND_HOST', async () => {
  environment('0', 'localhost');
  const server = await serve(ECHO, { store: memoryStore(), log: silentLog });
  onTestFinished(() => server.close());

  expect(server.url).toBe(`http://localhost:${server.port}`);
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
});

test.each([
  ['PORT', '65536', undefined, 'PORT: expected a number from 0 to 65535, got "65536"'],
  ['PORT', '4100 ', undefined, 'PORT: expected a number from 0 to 65535, got "4100 "'],
  ['BIND_HOST', undefined, 'a b', 'BIND_HOST: expected an address or a name to listen at, such as "0.0.0.0"'],
  [
    'BIND_HOST',
    undefined,
    '0.0.0.0',
    'BIND_HOST: makes the agent reachable from other machines: set auth, or insecurePublic: true to accept anonymous callers',
  ],
])('serve() names %s if it cannot use its value: %s %s', async (_, port, host, fault) => {
  environment(port, host);
  await expect(serve(ECHO)).rejects.toThrow(new TypeError(`Invalid options for serve():\n  - ${fault}`));
});
