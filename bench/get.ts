import { HISTORY_LENGTH, HISTORY_TASK_ID } from './contenders/content.ts';
import { BASELINE, OWN, OWN_STORED, PEER, PEER_STORED } from './contenders/list.ts';
import { expectJson, type HttpBench, rpcCall, rpcResult } from './harness/http-bench.ts';

/** Reads a completed task with a long history, as polling clients do. */
export const get: HttpBench = {
  name: 'get',
  title: `get: GetTask with ${HISTORY_LENGTH} messages of history, JSON-RPC 1.0`,
  unit: 'request',
  cases: [
    { name: 'get', connections: 16, requests: 2000, fixedRate: 1000, fewer: { [PEER]: 1000, [PEER_STORED]: 1000 } },
  ],
  goals: [
    { of: ['get', OWN], to: ['get', BASELINE], measure: 'CPU', atMost: 1.3 },
    { of: ['get', OWN_STORED], to: ['get', BASELINE], measure: 'CPU', atMost: 1.8 },
  ],

  body: (_work, n) => rpcCall(n, 'GetTask', { id: HISTORY_TASK_ID, historyLength: HISTORY_LENGTH }),

  check: (_work, n, { status, body }) => {
    expectJson('HTTP status', status, 200);
    const task = rpcResult(n, body);
    expectJson('task id', task['id'], HISTORY_TASK_ID);
    expectJson('messages of history', (task['history'] as unknown[] | undefined)?.length, HISTORY_LENGTH);
    return 1;
  },
};
