import { BASELINE, OWN, OWN_STORED, PEER, PEER_STORED } from './contenders/list.ts';
import type { HttpBench } from './harness/http-bench.ts';
import { checkStream, streamCall } from './stream-call.ts';

/**
 * One artifact, streamed chunk by chunk. The lengths show how the cost of an event grows with the length of the stream.
 * The official SDK skips the longest: it rewrites the whole artifact with each chunk, so its cost grows with the square
 * of the length (18 minutes for one stream of 20,000).
 */
export const stream: HttpBench = {
  name: 'stream',
  title: 'stream: SendStreamingMessage, one artifact in many chunks, JSON-RPC 1.0',
  unit: 'chunk',
  rounds: 7,
  cases: [
    {
      name: '200 chunks',
      connections: 4,
      requests: 120,
      fewer: { [PEER]: 16, [PEER_STORED]: 8 },
      chunks: 200,
    },
    {
      name: '1000 chunks',
      only: [BASELINE, PEER, OWN, OWN_STORED],
      connections: 2,
      requests: 24,
      fewer: { [PEER]: 2 },
      chunks: 1000,
    },
    { name: '20000 chunks', only: [BASELINE, OWN, OWN_STORED], connections: 1, requests: 4, chunks: 20_000 },
  ],
  goals: [
    { of: ['20000 chunks', OWN], to: ['20000 chunks', BASELINE], measure: 'rate', atLeast: 0.5 },
    { of: ['20000 chunks', OWN_STORED], to: ['20000 chunks', BASELINE], measure: 'rate', atLeast: 0.3 },
    { of: ['20000 chunks', OWN], to: ['1000 chunks', OWN], measure: 'CPU', atMost: 1.5 },
    { of: ['20000 chunks', OWN_STORED], to: ['1000 chunks', OWN_STORED], measure: 'CPU', atMost: 1.5 },
  ],

  body: ({ chunks = 0 }, n) => streamCall(n, { chunks }),

  check: ({ chunks = 0 }, n, answer) => checkStream(n, answer, chunks),
};
