import { expect, test } from 'vitest';
import { agent } from '../../agent/agent.ts';
import { readHandlerOptions } from '../../server/options/handler-options.ts';
import { defaultsOf } from '../../support/options.ts';
import { PUSH } from './push-options.ts';

const ECHO = agent({ name: 'Echo', description: 'Says it again.', run: ({ text }) => text });

const NOT_PRIVATE =
  'push.allowPrivate[0]: expected "http://127.0.0.1:4200", "http://localhost:*" for all ports, or a network: "10.0.0.0/8"';

test.each([
  [{ maxAgeMs: -1 }, 'push.maxAgeMs: expected a whole number >= 0, got -1'],
  [{ maxAgeMs: '1 day' }, 'push.maxAgeMs: expected a whole number >= 0, got a string'],
  [{ maxAttempts: 0 }, 'push.maxAttempts: expected a whole number >= 1, got 0'],
  [{ maxAttempts: Number.POSITIVE_INFINITY }, 'push.maxAttempts: expected a whole number >= 1, got Infinity'],
  [{ disableAfter: 1.5 }, 'push.disableAfter: expected a whole number >= 1, got 1.5'],
  [{ concurrency: 0 }, 'push.concurrency: expected a whole number >= 1, got 0'],
  [{ perReceiver: null }, 'push.perReceiver: expected a whole number >= 1, got null'],
  [{ maxDeadLetters: -1 }, 'push.maxDeadLetters: expected a whole number >= 0, got -1'],
  [{ allowPrivate: ['localhost'] }, NOT_PRIVATE],
  [{ allowPrivate: ['http://localhost:80:*'] }, NOT_PRIVATE],
  [{ allowPrivate: ['http://localhost:*/hook'] }, NOT_PRIVATE],
  [{ allowPrivate: ['ftp://localhost:*'] }, NOT_PRIVATE],
  [{ allowPrivate: ['http://*:*'] }, NOT_PRIVATE],
  [{ allowPrivate: ['http://me@localhost:*'] }, NOT_PRIVATE],
  [{ allowPrivate: ['10.0.0.1/8'] }, NOT_PRIVATE],
  [{ allowPrivate: [undefined] }, NOT_PRIVATE],
  [{ maxAttempt: 1 }, 'push.maxAttempt: is not an option; did you mean maxAttempts?'],
  [{ random: Math.random }, expect.stringMatching(/^push\.random: is not an option; /)],
])('push: %j is rejected', (push, fault) => {
  expect(faultOf(() => readHandlerOptions('serve()', ECHO, { push }))).toEqual(fault);
});

test('push options that are set override the defaults', () => {
  const push = { maxAgeMs: 0, maxAttempts: 3, allowHttp: true, timeoutMs: 10_000 };

  expect(readHandlerOptions('serve()', ECHO, { push }).push).toEqual({ ...defaultsOf(PUSH), ...push });
  expect(readHandlerOptions('serve()', ECHO, {}).push).toEqual(defaultsOf(PUSH));
});

function faultOf(read: () => unknown): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    return error instanceof TypeError ? error.message.split('\n')[1]?.slice('  - '.length) : undefined;
  }
}
