import { overRpc, type ExpectedResponses } from './expected-responses.ts';

const ids = { taskId: 'TASK', contextId: 'CONTEXT' };
const text = (value: string): object[] => [{ kind: 'text', text: value }];
const user = (messageId: string, value: string): object => ({
  kind: 'message',
  messageId,
  role: 'user',
  parts: text(value),
  ...ids,
});
const agent = (messageId: string, value: string): object => ({
  kind: 'message',
  messageId,
  role: 'agent',
  parts: text(value),
  ...ids,
});
const status = (state: string, message?: object): object => ({
  state,
  timestamp: 'TIME',
  ...(message !== undefined && { message }),
});
const update = (value: object, final: boolean): object => ({ kind: 'status-update', ...ids, status: value, final });
const chunk = (name: string, value: string, flags = { append: false, lastChunk: false }): object => ({
  kind: 'artifact-update',
  ...ids,
  artifact: { artifactId: name, name, parts: text(value) },
  ...flags,
});

const answered = {
  kind: 'task',
  id: 'TASK',
  contextId: 'CONTEXT',
  status: status('completed'),
  artifacts: [{ artifactId: 'trip', name: 'trip', parts: text('Off to Paris') }],
  history: [user('m1', 'ask'), agent('QUESTION', 'Which city?'), user('m2', 'Paris')],
};

/** The objects without an envelope. */
const bare: ExpectedResponses = {
  asked: {
    kind: 'task',
    id: 'TASK',
    contextId: 'CONTEXT',
    status: status('input-required', agent('QUESTION', 'Which city?')),
    history: [user('m1', 'ask')],
  },
  answered,
  got: { ...answered, history: [user('m2', 'Paris')] },
  replied: { kind: 'message', messageId: 'MESSAGE', contextId: 'CONTEXT', role: 'agent', parts: text('hi') },
  streamed: [
    { kind: 'task', id: 'TASK', contextId: 'CONTEXT', status: status('submitted'), history: [user('m1', 'story')] },
    update(status('working', agent('ONE', 'One')), false),
    chunk('poem', 'Roses '),
    chunk('notes', 'Mind the thorns', { append: false, lastChunk: true }),
    chunk('poem', 'are red', { append: true, lastChunk: true }),
    update(status('working', agent('TWO', 'Two')), false),
    update(status('completed'), true),
  ],
  subscribed: [
    {
      kind: 'task',
      id: 'TASK',
      contextId: 'CONTEXT',
      status: status('working', agent('ONE', 'Holding')),
      history: [user('m1', 'hold on')],
    },
    chunk('held', 'on', { append: false, lastChunk: true }),
    update(status('completed'), true),
  ],
  canceled: {
    kind: 'task',
    id: 'TASK',
    contextId: 'CONTEXT',
    status: status('canceled'),
    history: [user('m1', 'hold on'), agent('ONE', 'Holding')],
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
};

export const rpcOf02: ExpectedResponses = overRpc(bare);

/** The same as 0.2, except for the details of errors. */
export const rpcOf03: ExpectedResponses = {
  ...rpcOf02,
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
};

/** An object as a member with the name of its kind. */
function wrapped(object: unknown): unknown {
  const names: Readonly<Record<string, string>> = {
    task: 'task',
    message: 'message',
    'status-update': 'statusUpdate',
    'artifact-update': 'artifactUpdate',
  };
  return { [names[(object as { kind: string }).kind] ?? '']: object };
}

export const unknownOverRest: ExpectedResponses['unknown'] = {
  status: 404,
  json: {
    code: -32001,
    message: 'Task nobody does not exist',
    type: 'TaskNotFoundError',
    error: {
      code: -32001,
      message: 'Task nobody does not exist',
      data: { taskId: 'nobody', reason: 'TASK_NOT_FOUND' },
    },
  },
};

/** REST of the style `kind`: an object of one of several types is a member with the name of its kind. */
export const restOf03Kind: ExpectedResponses = {
  ...bare,
  asked: wrapped(bare.asked),
  answered: wrapped(bare.answered),
  replied: wrapped(bare.replied),
  streamed: bare.streamed.map(wrapped),
  subscribed: bare.subscribed.map(wrapped),
  unknown: unknownOverRest,
};
