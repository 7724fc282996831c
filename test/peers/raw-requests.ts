import type { Ask } from '../e2e/kit/exchange.ts';

/** Creates the requests of a version over one binding, without our encoders. */
export interface RawRequests {
  send(text: string, taskId?: string): Ask;
  stream(text: string, taskId?: string): Ask;
  get(id: string): Ask;
  cancel(id: string): Ask;
  subscribe(id: string): Ask;
  extendedCard(): Ask;
}

let messages = 0;

function rpc(method: string, params: unknown, headers = {}): Ask {
  return { method: 'POST', path: '/', headers, body: { jsonrpc: '2.0', id: 7, method, params } };
}

function kindMessage(text: string, taskId?: string) {
  const parts = [{ kind: 'text', text }];
  return {
    kind: 'message',
    messageId: `m-${++messages}`,
    role: 'user',
    parts,
    ...(taskId !== undefined && { taskId }),
  };
}

/** 0.2 and 0.3 over JSON-RPC. */
export const kindRpc: RawRequests = {
  send: (text, taskId) => rpc('message/send', { message: kindMessage(text, taskId) }),
  stream: (text, taskId) => rpc('message/stream', { message: kindMessage(text, taskId) }),
  get: (id) => rpc('tasks/get', { id }),
  cancel: (id) => rpc('tasks/cancel', { id }),
  subscribe: (id) => rpc('tasks/resubscribe', { id }),
  extendedCard: () => rpc('agent/getAuthenticatedExtendedCard', undefined),
};

const VERSION_1 = { 'A2A-Version': '1.0' };

function protoMessage(member: 'parts' | 'content', text: string, taskId?: string) {
  const message = { messageId: `m-${++messages}`, role: 'ROLE_USER', [member]: [{ text }] };
  return { message: taskId === undefined ? message : { ...message, taskId } };
}

export const rpc1: RawRequests = {
  send: (text, taskId) => rpc('SendMessage', protoMessage('parts', text, taskId), VERSION_1),
  stream: (text, taskId) => rpc('SendStreamingMessage', protoMessage('parts', text, taskId), VERSION_1),
  get: (id) => rpc('GetTask', { id }, VERSION_1),
  cancel: (id) => rpc('CancelTask', { id }, VERSION_1),
  subscribe: (id) => rpc('SubscribeToTask', { id }, VERSION_1),
  extendedCard: () => rpc('GetExtendedAgentCard', {}, VERSION_1),
};

function restRequests(base: string, member: 'parts' | 'content', card: string, headers = {}): RawRequests {
  const post = (path: string, body?: unknown): Ask => ({ method: 'POST', path: `${base}${path}`, headers, body });
  const get = (path: string): Ask => ({ method: 'GET', path: `${base}${path}`, headers });
  return {
    send: (text, taskId) => post('/message:send', protoMessage(member, text, taskId)),
    stream: (text, taskId) => post('/message:stream', protoMessage(member, text, taskId)),
    get: (id) => get(`/tasks/${id}`),
    cancel: (id) => post(`/tasks/${id}:cancel`),
    subscribe: (id) => post(`/tasks/${id}:subscribe`),
    extendedCard: () => get(card),
  };
}

export const rest1 = restRequests('/rest', 'parts', '/extendedAgentCard', VERSION_1);
export const rest03 = restRequests('/rest/v1', 'content', '/card');
