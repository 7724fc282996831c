import { chunkText, type WorkOrder } from './contenders/content.ts';
import { type BenchResponse, expectJson, rpcCall, rpcResult } from './harness/http-bench.ts';

interface ArtifactUpdate {
  readonly append?: boolean;
  readonly artifact?: { readonly parts?: readonly { readonly text?: unknown }[] };
}

export function streamCall(n: number, order: WorkOrder): string {
  return rpcCall(n, 'SendStreamingMessage', {
    message: {
      messageId: `bench-${n}`,
      role: 'ROLE_USER',
      parts: [{ text: 'Tell me a long story.' }],
      metadata: order,
    },
  });
}

/** Checks that every chunk arrives in order between the task and its end. Returns their number. */
export function checkStream(n: number, { status, body }: BenchResponse, chunks: number): number {
  expectJson('HTTP status', status, 200);
  const results = eventsOf(body).map((data) => rpcResult(n, data));
  expectJson('first event', Object.keys(results[0] ?? {}), ['task']);
  const updates = results.flatMap((result) => (result['artifactUpdate'] as ArtifactUpdate | undefined) ?? []);
  expectJson('chunks', updates.length, chunks);
  updates.forEach(({ append, artifact }, i) => {
    expectJson(`text of chunk ${i}`, artifact?.parts?.[0]?.text, chunkText(i));
    expectJson(`append of chunk ${i}`, append ?? false, i > 0);
  });
  expectJson('last state', stateOf(results.at(-1)), 'TASK_STATE_COMPLETED');
  return chunks;
}

/** The data of the events in a `text/event-stream` with one line of data per event. */
export function eventsOf(text: string): readonly string[] {
  return text
    .split('\n\n')
    .filter((event) => event.includes('data:'))
    .map((event) => event.slice(event.indexOf('data:') + 'data:'.length));
}

/** The state in a status update. */
export function stateOf(result: Readonly<Record<string, unknown>> | undefined): unknown {
  const update = result?.['statusUpdate'] as { readonly status?: { readonly state?: unknown } } | undefined;
  return update?.status?.state;
}
