/** Every operation of the protocol as a request, encoded by the codecs, and the outcome of its response. */
import type { A2AError } from '../../../src/errors.ts';
import type { Input, OperationName } from '../../../src/model/operation.ts';
import { dialectFor, rawCall, unwrapped, type WireFormat, WIRE_FORMATS } from '../../helpers/raw-call.ts';
import type { Credentials } from './kinds.ts';

export const NEWER_WAYS: readonly WireFormat[] = WIRE_FORMATS.filter(
  ({ version }) => version === '1.0' || version === '0.3',
);

/** An operation on a task. */
export interface Step<K extends OperationName = OperationName> {
  readonly operation: K;
  input(taskId: string): Input<K>;
  /** Whether the operation is about one task. */
  readonly isOfTask: boolean;
}

function step<K extends OperationName>(
  operation: K,
  input: (taskId: string) => Input<K>,
  { isOfTask = true }: { readonly isOfTask?: boolean } = {},
): Step {
  return { operation, input, isOfTask };
}

const userMessage = (text: string): Input<'SendMessage'> => ({
  message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }] },
});

/** The operations, in an order in which each can succeed. */
const STEPS: readonly Step[] = [
  step('SendMessage', () => userMessage('hello'), { isOfTask: false }),
  step('SendStreamingMessage', () => userMessage('hello'), { isOfTask: false }),
  step('ListTasks', () => ({}), { isOfTask: false }),
  step('GetTask', (id) => ({ id })),
  step('SubscribeToTask', (id) => ({ id })),
  step('CreateTaskPushNotificationConfig', (taskId) => ({ taskId, id: 'c', url: 'https://hooks.example.com/news' })),
  step('GetTaskPushNotificationConfig', (taskId) => ({ taskId, id: 'c' })),
  step('ListTaskPushNotificationConfigs', (taskId) => ({ taskId })),
  step('DeleteTaskPushNotificationConfig', (taskId) => ({ taskId, id: 'c' })),
  step('GetExtendedAgentCard', () => ({}), { isOfTask: false }),
  step('CancelTask', (id) => ({ id })),
];

/** The operations that a version has. */
export function stepsOf(format: WireFormat): readonly Step[] {
  const { operations } = dialectFor(format);
  return STEPS.filter(({ operation }) => operations[operation] !== undefined);
}

export interface Outcome {
  readonly status: number;
  /** The code of the error; undefined if there is none. */
  readonly code: string | undefined;
  readonly details: A2AError['details'];
  readonly headers: Headers;
  readonly text: string;
}

/** Sends one operation and reads its response; of a stream, only the headers. */
export async function outcomeOf<K extends OperationName>(
  format: WireFormat,
  base: string,
  operation: K,
  input: Input<K>,
  { headers = {}, query }: Credentials,
): Promise<Outcome> {
  const url = format.binding === 'JSONRPC' ? `${base}/a2a` : base;
  const response = await rawCall(format, url, operation, input, {
    headers,
    send: (to, init) => fetch(withQuery(to, query), init),
  });
  const isStream = response.headers.get('content-type') === 'text/event-stream';
  if (isStream) await response.body?.cancel();
  const text = isStream ? '' : await response.text();
  const error = errorOf(format, response.status, text);
  return { status: response.status, code: error?.code, details: error?.details ?? {}, headers: response.headers, text };
}

function withQuery(url: string, query: string | undefined): string {
  return query === undefined ? url : `${url}${url.includes('?') ? '&' : '?'}${query}`;
}

function errorOf(format: WireFormat, status: number, text: string): A2AError | undefined {
  const { errors } = dialectFor(format);
  const json = text === '' ? undefined : (JSON.parse(text) as { readonly error?: never });
  if (format.binding === 'HTTP+JSON') return status < 300 ? undefined : errors.decodeRest(status, json);
  return json?.error === undefined ? undefined : errors.decodeRpc(json.error);
}

/** Starts a task that does not end by itself. */
export async function startTask(
  format: WireFormat,
  base: string,
  credentials: Credentials,
  tenant?: string,
): Promise<string> {
  const input = { ...userMessage('hold on'), configuration: { returnImmediately: true }, ...(tenant && { tenant }) };
  const { text } = await outcomeOf(format, base, 'SendMessage', input, credentials);
  const id = /"id":"([^"]{8,})"/.exec(JSON.stringify(unwrapped(format, JSON.parse(text))))?.[1];
  if (id === undefined) throw new Error(`Expected a task, got ${text}`);
  return id;
}
