import { expect, test } from 'vitest';
import { Check } from '../../support/check.ts';
import { optionProblems } from './serving.ts';

/** The problems as `serve()` reports them, in terms of flags. */
function reported(problems: Readonly<Record<string, string>>): string {
  const check = new Check();
  for (const [name, problem] of Object.entries(problems)) check.fault(name, problem);
  try {
    check.finish('Invalid options for serve():');
  } catch (error) {
    return optionProblems(error);
  }
  return '';
}

test.each([
  ['port', 'expected a number from 0 to 65535, got 70000', '--port: expected a number from 0 to 65535, got 70000'],
  ['publicUrl', 'must not have a query or fragment', '--public-url: must not have a query or fragment'],
  ['rpcPaths[1]', 'expected a path such as "/a2a"', '--rpc-path: expected a path such as "/a2a"'],
  [
    'cors.origins',
    "can be '*' only with auth or insecurePublic",
    "--cors-origin: can be '*' only with --token or --insecure-public",
  ],
  [
    'trustProxy',
    'set auth, or insecurePublic: true to accept anonymous callers',
    '--trust-proxy: set --token, or --insecure-public to accept anonymous callers',
  ],
  ['apiKeyEnv', 'names KEY, which is not set', '--api-key-env: names KEY, which is not set'],
  ['A2A_SECRET', 'must not be empty', 'A2A_SECRET: must not be empty'],
  ['BIND_HOST', 'expected an address', 'BIND_HOST: expected an address'],
])('a problem of the option %s (%s) is reported in terms of the flag', (option, problem, expected) => {
  expect(reported({ [option]: problem })).toBe(expected);
});

test('several problems are reported together', () => {
  expect(reported({ port: 'a', host: 'b' })).toBe('--port: a; --host: b');
});

test('an error that is not about options has no problems', () => {
  expect(optionProblems(new TypeError('x is not a function'))).toBe('');
  expect(optionProblems(new Error('  - port: no'))).toBe('');
});
