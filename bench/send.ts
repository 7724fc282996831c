import { workOn } from './contenders/content.ts';
import { BASELINE, OWN, OWN_STORED, PEER, PEER_STORED } from './contenders/list.ts';
import { expectJson, type HttpBench, rpcCall, rpcResult } from './harness/http-bench.ts';

const TEXT = 'Good morning. Please translate this sentence, and keep the names as they are.';

interface SentTask {
  readonly id?: unknown;
  readonly status?: { readonly state?: unknown };
  readonly artifacts?: readonly { readonly parts?: readonly { readonly text?: unknown }[] }[];
}

/** A blocking SendMessage: a new task that completes with one artifact. */
export const send: HttpBench = {
  name: 'send',
  title: 'send: blocking SendMessage, JSON-RPC 1.0',
  unit: 'request',
  cases: [
    { name: 'send', connections: 16, requests: 3000, fixedRate: 1000, fewer: { [PEER]: 1500, [PEER_STORED]: 400 } },
  ],
  goals: [
    { of: ['send', OWN], to: ['send', BASELINE], measure: 'CPU', atMost: 2.6 },
    { of: ['send', OWN_STORED], to: ['send', BASELINE], measure: 'CPU', atMost: 3.8 },
    { of: ['send', OWN_STORED], to: ['send', PEER], measure: 'CPU', atMost: 1 },
  ],

  body: (_work, n) =>
    rpcCall(n, 'SendMessage', {
      message: { messageId: `bench-${n}`, role: 'ROLE_USER', parts: [{ text: TEXT }] },
      configuration: { acceptedOutputModes: ['text/plain'] },
    }),

  check: (_work, n, { status, body }) => {
    expectJson('HTTP status', status, 200);
    const task = rpcResult(n, body)['task'] as SentTask | undefined;
    expectJson('type of task id', typeof task?.id, 'string');
    expectJson('state', task?.status?.state, 'TASK_STATE_COMPLETED');
    expectJson('artifact text', task?.artifacts?.[0]?.parts?.[0]?.text, workOn(TEXT));
    return 1;
  },
};
