import { BASELINE, OWN, OWN_STORED, PEER_STORED } from './contenders/list.ts';
import type { HttpBench } from './harness/http-bench.ts';
import { checkStream, streamCall } from './stream-call.ts';

const CASE = '500 streams';

/**
 * Many concurrent streams, each on its own connection, with an event per stream in every turn of the server's event
 * loop: the usual load of a server of agents. The measured time ends when the last stream has ended.
 */
export const streams: HttpBench = {
  name: 'streams',
  title: 'streams: 500 streams at once, 50 paced chunks each, JSON-RPC 1.0',
  unit: 'chunk',
  rounds: 5,
  cases: [{ name: CASE, connections: 500, requests: 500, fewer: { [PEER_STORED]: 100 }, chunks: 50 }],
  goals: [
    { of: [CASE, OWN], to: [CASE, BASELINE], measure: 'time', atMost: 2 },
    { of: [CASE, OWN_STORED], to: [CASE, BASELINE], measure: 'time', atMost: 3 },
  ],

  body: ({ chunks = 0 }, n) => streamCall(n, { chunks, isPaced: true }),

  check: ({ chunks = 0 }, n, answer) => checkStream(n, answer, chunks),
};
