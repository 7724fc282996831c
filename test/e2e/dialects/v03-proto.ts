import type { ExpectedResponses } from './expected-responses.ts';
import { unknownOverRest } from './v03.ts';

const ids = { taskId: 'TASK', contextId: 'CONTEXT' };
const user = (messageId: string, text: string): object => ({
  messageId,
  role: 'ROLE_USER',
  content: [{ text }],
  ...ids,
});
const agent = (messageId: string, text: string): object => ({
  messageId,
  role: 'ROLE_AGENT',
  content: [{ text }],
  ...ids,
});
const status = (state: string, message?: object): object => ({
  state: `TASK_STATE_${state}`,
  timestamp: 'TIME',
  ...(message !== undefined && { message }),
});
const update = (value: object, final: boolean): object => ({ statusUpdate: { ...ids, status: value, final } });
const chunk = (name: string, text: string, flags = { append: false, lastChunk: false }): object => ({
  artifactUpdate: { ...ids, artifact: { artifactId: name, name, parts: [{ text }] }, ...flags },
});

const answered = {
  id: 'TASK',
  contextId: 'CONTEXT',
  status: status('COMPLETED'),
  artifacts: [{ artifactId: 'trip', name: 'trip', parts: [{ text: 'Off to Paris' }] }],
  history: [user('m1', 'ask'), agent('QUESTION', 'Which city?'), user('m2', 'Paris')],
};

/** REST as the protocol definition of 0.3 has it: `content`, and a canceled task with two l. */
export const restOf03: ExpectedResponses = {
  asked: {
    task: {
      id: 'TASK',
      contextId: 'CONTEXT',
      status: status('INPUT_REQUIRED', agent('QUESTION', 'Which city?')),
      history: [user('m1', 'ask')],
    },
  },
  answered: { task: answered },
  got: { ...answered, history: [user('m2', 'Paris')] },
  replied: { message: { messageId: 'MESSAGE', contextId: 'CONTEXT', role: 'ROLE_AGENT', content: [{ text: 'hi' }] } },
  streamed: [
    { task: { id: 'TASK', contextId: 'CONTEXT', status: status('SUBMITTED'), history: [user('m1', 'story')] } },
    update(status('WORKING', agent('ONE', 'One')), false),
    chunk('poem', 'Roses '),
    chunk('notes', 'Mind the thorns', { append: false, lastChunk: true }),
    chunk('poem', 'are red', { append: true, lastChunk: true }),
    update(status('WORKING', agent('TWO', 'Two')), false),
    update(status('COMPLETED'), true),
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
    chunk('held', 'on', { append: false, lastChunk: true }),
    update(status('COMPLETED'), true),
  ],
  canceled: {
    id: 'TASK',
    contextId: 'CONTEXT',
    status: status('CANCELLED'),
    history: [user('m1', 'hold on'), agent('ONE', 'Holding')],
  },
  unknown: unknownOverRest,
};
