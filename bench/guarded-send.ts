import type { Guard } from './contenders/guards.ts';
import { guardHeaders } from './contenders/guards.ts';
import type { HttpBench } from './harness/http-bench.ts';
import { send } from './send.ts';

const cases = { connections: 16, requests: 750 } as const;

export const OPEN = 'nothing';

/** As open as the other, to callers whose repeats are recognised, as those of known callers always are. */
export const OPEN_TO_REPEATS = 'repeats recognised';

/** By the name of the case. */
export const GUARDS: ReadonlyMap<string, readonly Guard[]> = new Map<string, readonly Guard[]>([
  [OPEN, []],
  [OPEN_TO_REPEATS, ['repeats']],
  ['fixed token', ['repeats', 'bearer']],
  ['JWT, shared secret', ['repeats', 'jwt']],
  ['rate limit', ['rate']],
  ['metrics', ['metrics']],
  ['JWT, rate limit, metrics', ['repeats', 'jwt', 'rate', 'metrics']],
]);

/** Credentials are made once: a caller has a token for hours. */
const credentials = new Map(Array.from(GUARDS, ([name, guards]) => [name, guardHeaders(guards)]));

/** The same send as elsewhere, past what can stand before it. */
export const guardedSend: HttpBench = {
  ...send,
  name: 'guards',
  title: 'guards: blocking SendMessage, JSON-RPC 1.0, memory store, by what stands before it',
  cases: Array.from(GUARDS.keys(), (name) => ({ name, ...cases })),
  goals: [],
  headers: ({ name }, n) => {
    // All requests are of one length: where repeats are not recognised, the key has a name that means nothing.
    const key = GUARDS.get(name)?.includes('repeats') === true ? 'idempotency-key' : 'x-key-of-nobody';
    return { ...credentials.get(name), [key]: `bench-${n}` };
  },
};
