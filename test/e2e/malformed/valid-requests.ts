/** Valid requests of every operation, version and binding, and ways to damage their bytes. */
import fc from 'fast-check';
import { call, get, oldCall, post } from './case.ts';
import type { RawRequest } from './exchange.ts';
import { WRONG_1 } from './params-1.0.ts';
import { VALID_OLDER } from './params-0.x.ts';

const MESSAGE = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }], metadata: { a: [1, { b: null }] } };
const CONFIGURATION = { acceptedOutputModes: ['text/plain'], historyLength: 1, returnImmediately: false };

/** Valid requests with a body, of every operation in every version and binding. */
export const VALID_REQUESTS: readonly RawRequest[] = [
  ...Object.entries(WRONG_1).map(([method, { params }]) => call(method, params)),
  ...VALID_OLDER.map(([method, params, version]) => oldCall(method, params, version)),
  call('SendMessage', { tenant: 't', message: MESSAGE, configuration: CONFIGURATION, metadata: { a: 1 } }),
  call('SendMessage', { message: { ...MESSAGE, parts: [{ raw: 'AAAA', filename: 'f' }, { data: { a: [1] } }] } }),
  call('ListTasks', { contextId: 'paged', pageSize: 1, pageToken: '$TOKEN', includeArtifacts: true }),
  oldCall('message/send', {
    message: {
      kind: 'message',
      messageId: 'm',
      role: 'user',
      parts: [
        { kind: 'file', file: { bytes: 'AAAA', name: 'f', mimeType: 'text/plain' } },
        { kind: 'data', data: { a: 1 } },
      ],
    },
    configuration: { blocking: true, historyLength: 1 },
  }),
  post('/message:send', { message: MESSAGE, configuration: CONFIGURATION }),
  post('/message:stream', { message: MESSAGE }),
  post('/v1/message:send', { message: { messageId: 'm', role: 'ROLE_USER', content: [{ text: 'hi' }] } }),
  post('/v1/message:stream', { message: { kind: 'message', role: 'user', parts: [{ kind: 'text', text: 'hi' }] } }),
  post('/tasks/$TASK:cancel', { id: '$TASK', metadata: {} }),
  post('/tasks/$TASK/pushNotificationConfigs', { taskId: '$TASK', url: 'https://example.com', token: 't' }),
  post('/v1/tasks/$TASK/pushNotificationConfigs', { config: { url: 'https://example.com' } }),
];

/** Valid requests without a body. */
export const BODYLESS: readonly RawRequest[] = [
  get('/tasks?contextId=paged&status=TASK_STATE_COMPLETED&pageSize=1&pageToken=$TOKEN&includeArtifacts=true'),
  get('/tasks/$TASK?historyLength=1'),
  get('/tenant/tasks/$TASK'),
  get('/tasks/$TASK:subscribe'),
  get('/tasks/$TASK/pushNotificationConfigs?pageSize=1&pageToken=x'),
  { method: 'DELETE', path: '/tasks/$TASK/pushNotificationConfigs/c' },
  get('/v1/tasks/$TASK'),
  get('/v1/card'),
  get('/extendedAgentCard'),
  get('/.well-known/agent-card.json'),
  get('/readyz'),
];

/** The request with the id of a task and a page token in place of the placeholders. */
export function filledIn(
  request: RawRequest,
  { task, token }: { readonly task: string; readonly token: string },
): RawRequest {
  return JSON.parse(JSON.stringify(request).replaceAll('$TASK', task).replaceAll('$TOKEN', token)) as RawRequest;
}

/** One change to the bytes of a request. */
export interface Damage {
  readonly kind: 'replace' | 'insert' | 'delete' | 'repeat' | 'cut';
  readonly at: number;
  readonly bytes: Uint8Array;
}

/** Bytes with a meaning in HTTP, URLs or JSON. */
const SPECIAL = [
  '\r\n',
  '\n',
  '\0',
  ' ',
  ':',
  '%',
  '/',
  '?',
  '{',
  '}',
  '[',
  '"',
  '\\',
  ',',
  '\xff',
  '-1',
  '1e999',
  '\t',
];

export const damages = fc.array(
  fc.record<Damage>({
    kind: fc.constantFrom('replace', 'insert', 'delete', 'repeat', 'cut'),
    at: fc.nat({ max: 2 ** 16 }),
    bytes: fc.oneof(
      fc.constantFrom(...SPECIAL).map((text) => new Uint8Array(Buffer.from(text, 'latin1'))),
      fc.uint8Array({ minLength: 1, maxLength: 8 }),
    ),
  }),
  { minLength: 1, maxLength: 4 },
);

export function damaged(bytes: Buffer, { kind, at, bytes: change }: Damage): Buffer {
  const start = at % (bytes.length + 1);
  const end = Math.min(bytes.length, start + change.length);
  const [before, piece, after] = [bytes.subarray(0, start), bytes.subarray(start, end), bytes.subarray(end)];
  switch (kind) {
    case 'replace':
      return Buffer.concat([before, change, after]);
    case 'insert':
      return Buffer.concat([before, change, piece, after]);
    case 'delete':
      return Buffer.concat([before, after]);
    case 'repeat':
      return Buffer.concat([before, piece, piece, piece, after]);
    case 'cut':
      return before;
  }
}
