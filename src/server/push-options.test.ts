import { expect, test } from 'vitest';
import { agent } from './agent.ts';
import { readHandlerOptions } from './handler-options.ts';
import { pushPolicyOf } from './push-options.ts';

const ECHO = agent({ name: 'Echo', description: 'Says it again.', run: ({ text }) => text });

const NOT_PRIVATE =
  'push.allowPrivate[0]: must be "http://127.0.0.1:4200", "http://localhost:*" for all ports, or a network: "10.0.0.0/8"';

test.each([
  [{ maxAgeMs: -1 }, 'push.maxAgeMs: must be a whole number, 0 or more, not -1'],
  [{ maxAgeMs: '1 day' }, 'push.maxAgeMs: must be a whole number, 0 or more, not a text'],
  [{ maxAttempts: 0 }, 'push.maxAttempts: must be a whole number, 1 or more, not 0'],
  [{ maxAttempts: Number.POSITIVE_INFINITY }, 'push.maxAttempts: must be a whole number, 1 or more, not Infinity'],
  [{ disableAfter: 1.5 }, 'push.disableAfter: must be a whole number, 1 or more, not 1.5'],
  [{ concurrency: 0 }, 'push.concurrency: must be a whole number, 1 or more, not 0'],
  [{ perReceiver: null }, 'push.perReceiver: must be a whole number, 1 or more, not null'],
  [{ maxDeadLetters: -1 }, 'push.maxDeadLetters: must be a whole number, 0 or more, not -1'],
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
])('%j is refused', (push, fault) => {
  expect(faultOf(() => readHandlerOptions('serve()', ECHO, { push }))).toEqual(fault);
});

test('what was said is told to the engine, and nothing else', () => {
  const said = {
    maxAgeMs: 0,
    maxAttempts: 3,
    disableAfter: 1,
    concurrency: 1,
    perReceiver: 1,
    perOwner: 2,
    maxDeadLetters: 0,
  };
  const { push } = readHandlerOptions('serve()', ECHO, { push: { ...said, allowHttp: true, timeoutMs: 10_000 } });

  expect(pushPolicyOf(push)).toEqual(said);
  expect(pushPolicyOf(readHandlerOptions('serve()', ECHO, {}).push)).toEqual({});
});

function faultOf(read: () => unknown): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    return error instanceof TypeError ? error.message.split('\n')[1]?.slice('  - '.length) : undefined;
  }
}
