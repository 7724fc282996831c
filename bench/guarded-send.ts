import type { Guard } from './contenders/guards.ts';
import { guardHeaders } from './contenders/guards.ts';
import type { HttpBench } from './harness/http-bench.ts';
import { send } from './send.ts';

const cases = { connections: 16, requests: 750 } as const;

export const UNGUARDED = 'no checks';

/** Also without authentication, but repeated messages are recognised, as they always are for authenticated callers. */
export const DEDUPLICATED = 'deduplication';

/** By the name of the case. */
export const GUARDS: ReadonlyMap<string, readonly Guard[]> = new Map<string, readonly Guard[]>([
  [UNGUARDED, []],
  [DEDUPLICATED, ['repeats']],
  ['fixed token', ['repeats', 'bearer']],
  ['JWT, shared secret', ['repeats', 'jwt']],
  ['rate limit', ['rate']],
  ['metrics', ['metrics']],
  ['JWT, rate limit, metrics', ['repeats', 'jwt', 'rate', 'metrics']],
]);

/** Credentials are created once, because callers use a token for hours. */
const credentials = new Map(Array.from(GUARDS, ([name, guards]) => [name, guardHeaders(guards)]));

/** The send of the `send` bench, with the checks that a server can run before it. */
export const guardedSend: HttpBench = {
  ...send,
  name: 'guards',
  title: 'guards: blocking SendMessage, JSON-RPC 1.0, memory store, by checks before the agent',
  cases: Array.from(GUARDS.keys(), (name) => ({ name, ...cases })),
  goals: [],
  headers: ({ name }, n) => {
    // All requests have the same length: where repeated messages are not recognised, the key is sent in a header
    // without meaning.
    const key = GUARDS.get(name)?.includes('repeats') === true ? 'idempotency-key' : 'x-ignored-value';
    return { ...credentials.get(name), [key]: `bench-${n}` };
  },
};
