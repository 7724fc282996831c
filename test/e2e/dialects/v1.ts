import { overRpc, type ExpectedResponses } from './expected-responses.ts';

const ids = { taskId: 'TASK', contextId: 'CONTEXT' };
const user = (messageId: string, text: string): object => ({ messageId, role: 'ROLE_USER', parts: [{ text }], ...ids });
const agent = (messageId: string, text: string): object => ({
  messageId,
  role: 'ROLE_AGENT',
  parts: [{ text }],
  ...ids,
});
const status = (state: string, message?: object): object => ({
  state: `TASK_STATE_${state}`,
  timestamp: 'TIME',
  ...(message !== undefined && { message }),
});

const asked = {
  id: 'TASK',
  contextId: 'CONTEXT',
  status: status('INPUT_REQUIRED', agent('QUESTION', 'Which city?')),
  history: [user('m1', 'ask')],
};
const answered = {
  id: 'TASK',
  contextId: 'CONTEXT',
  status: status('COMPLETED'),
  artifacts: [{ artifactId: 'trip', name: 'trip', parts: [{ text: 'Off to Paris' }] }],
  history: [user('m1', 'ask'), agent('QUESTION', 'Which city?'), user('m2', 'Paris')],
};

/** REST has no envelope. */
export const restOf1: ExpectedResponses = {
  asked: { task: asked },
  answered: { task: answered },
  got: { ...answered, history: [user('m2', 'Paris')] },
  replied: { message: { messageId: 'MESSAGE', contextId: 'CONTEXT', role: 'ROLE_AGENT', parts: [{ text: 'hi' }] } },
  streamed: [
    { task: { id: 'TASK', contextId: 'CONTEXT', status: status('SUBMITTED'), history: [user('m1', 'story')] } },
    { statusUpdate: { ...ids, status: status('WORKING', agent('ONE', 'One')) } },
    { artifactUpdate: { ...ids, artifact: { artifactId: 'poem', name: 'poem', parts: [{ text: 'Roses ' }] } } },
    {
      artifactUpdate: {
        ...ids,
        artifact: { artifactId: 'notes', name: 'notes', parts: [{ text: 'Mind the thorns' }] },
        lastChunk: true,
      },
    },
    {
      artifactUpdate: {
        ...ids,
        artifact: { artifactId: 'poem', name: 'poem', parts: [{ text: 'are red' }] },
        append: true,
        lastChunk: true,
      },
    },
    { statusUpdate: { ...ids, status: status('WORKING', agent('TWO', 'Two')) } },
    { statusUpdate: { ...ids, status: status('COMPLETED') } },
  ],
  subscribed: [
    {
      task: {
        id: 'TASK',
        contextId: 'CONTEXT',
        status: status('WORKING', agent('ONE', 'Holding')),
        history: [user('m1', 'hold on')],
      },
    },
    {
      artifactUpdate: {
        ...ids,
        artifact: { artifactId: 'held', name: 'held', parts: [{ text: 'on' }] },
        lastChunk: true,
      },
    },
    { statusUpdate: { ...ids, status: status('COMPLETED') } },
  ],
  canceled: {
    id: 'TASK',
    contextId: 'CONTEXT',
    status: status('CANCELED'),
    history: [user('m1', 'hold on'), agent('ONE', 'Holding')],
  },
  unknown: {
    status: 404,
    json: {
      error: {
        code: 404,
        status: 'NOT_FOUND',
        message: 'Task nobody does not exist',
        details: [
          {
            '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
            reason: 'TASK_NOT_FOUND',
            domain: 'a2a-protocol.org',
            metadata: { taskId: 'nobody' },
          },
        ],
      },
    },
  },
};

export const rpcOf1: ExpectedResponses = overRpc({
  ...restOf1,
  unknown: {
    status: 200,
    json: {
      jsonrpc: '2.0',
      id: 1,
      error: {
        code: -32001,
        message: 'Task nobody does not exist',
        data: [
          {
            '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
            reason: 'TASK_NOT_FOUND',
            domain: 'a2a-protocol.org',
            metadata: { taskId: 'nobody' },
          },
        ],
      },
    },
  },
});
