import { overRpc, type ExpectedResponses } from './expected-responses.ts';

const text = (value: string): object[] => [{ type: 'text', text: value }];
const user = (value: string): object => ({ role: 'user', parts: text(value) });
const agent = (value: string): object => ({ role: 'agent', parts: text(value) });
const status = (state: string, message?: object): object => ({
  state,
  timestamp: 'TIME',
  ...(message !== undefined && { message }),
});
const update = (value: object, final: boolean): object => ({ id: 'mine', status: value, final });
/** Artifacts of 0.1 have an index; the id of ours is in the name. */
const artifact = (index: number, name: string, value: string): object => ({
  index,
  name,
  parts: text(value),
  metadata: { 'a2a:artifactId': name },
});
const chunk = (piece: object, flags = { append: false, lastChunk: false }): object => ({
  id: 'mine',
  artifact: { ...piece, ...flags },
});

/** In 0.1 the caller chooses the id of the task, and messages have no ids. */
export const rpcOf01: ExpectedResponses = overRpc({
  asked: {
    id: 'mine',
    sessionId: 'CONTEXT',
    status: status('input-required', agent('Which city?')),
    history: [user('ask')],
  },
  answered: {
    id: 'mine',
    sessionId: 'CONTEXT',
    status: status('completed'),
    artifacts: [artifact(0, 'trip', 'Off to Paris')],
    history: [user('ask'), agent('Which city?'), user('Paris')],
  },
  got: {
    id: 'mine',
    sessionId: 'CONTEXT',
    status: status('completed'),
    artifacts: [artifact(0, 'trip', 'Off to Paris')],
    history: [user('Paris')],
  },
  replied: { id: 'mine', sessionId: 'CONTEXT', status: { state: 'completed', message: agent('hi') } },
  streamed: [
    update(status('submitted'), false),
    update(status('working', agent('One')), false),
    chunk(artifact(0, 'poem', 'Roses ')),
    chunk(artifact(1, 'notes', 'Mind the thorns'), { append: false, lastChunk: true }),
    chunk(artifact(0, 'poem', 'are red'), { append: true, lastChunk: true }),
    update(status('working', agent('Two')), false),
    update(status('completed'), true),
  ],
  subscribed: [
    update(status('working', agent('Holding')), false),
    chunk(artifact(0, 'held', 'on'), { append: false, lastChunk: true }),
    update(status('completed'), true),
  ],
  canceled: {
    id: 'mine',
    sessionId: 'CONTEXT',
    status: status('canceled'),
    history: [user('hold on'), agent('Holding')],
  },
  unknown: {
    status: 200,
    json: {
      jsonrpc: '2.0',
      id: 1,
      error: {
        code: -32001,
        message: 'Task nobody does not exist',
        data: { taskId: 'nobody', reason: 'TASK_NOT_FOUND' },
      },
    },
  },
});
