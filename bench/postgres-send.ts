import { chunkText } from './contenders/content.ts';
import { expectJson, type HttpBench, type HttpCase, rpcCall, rpcResult } from './harness/http-bench.ts';

/** A few chunks of an artifact, each in a separate turn of the event loop. */
const CHUNKS = 5;
const TEXT = 'Good morning. Please translate this sentence, and keep the names as they are.';
const WHOLE = Array.from({ length: CHUNKS }, (_, n) => chunkText(n)).join('');

export const BLOCKING: HttpCase = { name: 'blocking', connections: 32, requests: 600 };
export const IMMEDIATE: HttpCase = { name: 'returnImmediately', connections: 32, requests: 600 };

interface SentTask {
  readonly id?: unknown;
  readonly status?: { readonly state?: unknown };
  readonly artifacts?: readonly { readonly parts?: readonly { readonly text?: string }[] }[];
}

/** A send to servers that share a PostgreSQL database: a new task with one artifact in a few chunks. */
export const postgresSend: HttpBench = {
  name: 'postgres',
  title: 'postgres: SendMessage, JSON-RPC 1.0, an artifact in five chunks',
  unit: 'request',
  cases: [BLOCKING, IMMEDIATE],

  body: ({ name }, n) =>
    rpcCall(n, 'SendMessage', {
      message: {
        messageId: `bench-${n}`,
        role: 'ROLE_USER',
        parts: [{ text: TEXT }],
        metadata: { chunks: CHUNKS, isPaced: true },
      },
      configuration: { acceptedOutputModes: ['text/plain'], returnImmediately: name === IMMEDIATE.name },
    }),

  check: ({ name }, n, { status, body }) => {
    expectJson('HTTP status', status, 200);
    const task = rpcResult(n, body)['task'] as SentTask | undefined;
    expectJson('type of task id', typeof task?.id, 'string');
    if (name === BLOCKING.name) {
      expectJson('state', task?.status?.state, 'TASK_STATE_COMPLETED');
      const parts = task?.artifacts?.[0]?.parts ?? [];
      expectJson('artifact text', parts.map(({ text }) => text).join(''), WHOLE);
    }
    return 1;
  },
};
