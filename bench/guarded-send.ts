import type { Guard } from './contenders/guards.ts';
import { guardHeaders } from './contenders/guards.ts';
import type { HttpBench } from './harness/http-bench.ts';
import { send } from './send.ts';

const cases = { connections: 16, requests: 3000 } as const;

export const OPEN = 'nothing';

/** By the name of the case. */
export const GUARDS: ReadonlyMap<string, readonly Guard[]> = new Map<string, readonly Guard[]>([
  [OPEN, []],
  ['fixed token', ['bearer']],
  ['JWT, shared secret', ['jwt']],
  ['rate limit', ['rate']],
  ['metrics', ['metrics']],
  ['JWT, rate limit, metrics', ['jwt', 'rate', 'metrics']],
]);

/** Headers are made once: a caller has a token for hours. */
const headers = new Map(Array.from(GUARDS, ([name, guards]) => [name, guardHeaders(guards)]));

/** The same send as elsewhere, past what can stand before it. */
export const guardedSend: HttpBench = {
  ...send,
  name: 'guards',
  title: 'guards: blocking SendMessage, JSON-RPC 1.0, memory store, by what stands before it',
  cases: Array.from(GUARDS.keys(), (name) => ({ name, ...cases })),
  goals: [],
  headers: ({ name }) => headers.get(name) ?? {},
};
