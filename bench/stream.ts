import { chunkText } from './contenders/content.ts';
import { FLOOR, PEER } from './contenders/list.ts';
import { expectJson, type HttpBench, rpcCall, rpcResult } from './harness/http-bench.ts';

interface ArtifactUpdate {
  readonly append?: boolean;
  readonly artifact?: { readonly parts?: readonly { readonly text?: unknown }[] };
}

/**
 * One artifact, streamed piece by piece. The lengths differ to show how the cost of an event grows with the length of
 * the stream. The longest is not for the official SDK: it rewrites the whole artifact with each chunk, so its cost
 * grows with the square of the length (18 minutes for one stream of 20,000).
 */
export const stream: HttpBench = {
  name: 'stream',
  title: 'stream: SendStreamingMessage, one artifact in many chunks, JSON-RPC 1.0, tasks in memory',
  unit: 'chunk',
  cases: [
    { name: '200 chunks', connections: 4, requests: 120, fewer: { [PEER]: 16 }, chunks: 200 },
    { name: '1000 chunks', connections: 2, requests: 24, fewer: { [PEER]: 2 }, chunks: 1000 },
    { name: '20000 chunks', only: [FLOOR], connections: 1, requests: 4, chunks: 20_000 },
  ],

  body: ({ chunks }, n) =>
    rpcCall(n, 'SendStreamingMessage', {
      message: {
        messageId: `bench-${n}`,
        role: 'ROLE_USER',
        parts: [{ text: 'Tell me a long story.' }],
        metadata: { chunks },
      },
    }),

  check: ({ chunks }, n, { status, body }) => {
    expectJson('HTTP status', status, 200);
    const results = body
      .split('\n\n')
      .filter((event) => event.includes('data:'))
      .map((event) => rpcResult(n, event.slice(event.indexOf('data:') + 'data:'.length)));
    expectJson('first event', Object.keys(results[0] ?? {}), ['task']);
    const updates = results.flatMap((result) => (result['artifactUpdate'] as ArtifactUpdate | undefined) ?? []);
    expectJson('chunks', updates.length, chunks);
    updates.forEach(({ append, artifact }, i) => {
      expectJson(`text of chunk ${i}`, artifact?.parts?.[0]?.text, chunkText(i));
      expectJson(`append of chunk ${i}`, append ?? false, i > 0);
    });
    const last = results.at(-1)?.['statusUpdate'] as { status?: { state?: unknown } } | undefined;
    expectJson('last state', last?.status?.state, 'TASK_STATE_COMPLETED');
    return chunks;
  },
};
