/** Requests of an attacker: complete or half sent, with responses read or unread. The end of a test closes them all. */
import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
}

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

const MEBIBYTE = 2 ** 20;

export function times<T>(count: number, make: (i: number) => T): readonly T[] {
  return Array.from({ length: count }, (_, i) => make(i));
}

/** The largest text that the default limits let through. */
export const LARGEST_TEXT = 'x'.repeat(4 * MEBIBYTE);

let messages = 0;

export interface SendOptions {
  readonly taskId?: string;
  readonly returnImmediately?: boolean;
  /** 0 by default, because most attacks do not need the history in the response. */
  readonly historyLength?: number;
}

/** A request that sends a message and waits for its outcome, unless `returnImmediately` is set. */
export function sendOf(text: string, { taskId, returnImmediately, historyLength = 0 }: SendOptions = {}): Request {
  const message = { messageId: `m${++messages}`, role: 'ROLE_USER', parts: [{ text }], taskId };
  const body = JSON.stringify({ message, configuration: { returnImmediately, historyLength } });
  return { method: 'POST', path: '/message:send', body };
}

export function getOf(id: string): Request {
  return { method: 'GET', path: `/tasks/${id}` };
}

function headersOf(caller: string): Readonly<Record<string, string>> {
  return { 'content-type': 'application/json', 'a2a-version': '1.0', authorization: `Bearer token-of-${caller}` };
}

/** Makes a request and reads the whole response. */
export async function call(port: number, caller: string, request: Request, signal?: AbortSignal): Promise<Reply> {
  const { method, path, body } = request;
  const init = { method, headers: headersOf(caller), ...(body !== undefined && { body }), ...(signal && { signal }) };
  const response = await fetch(`http://127.0.0.1:${port}${path}`, init);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** The id of the task that a message created. */
export async function taskOf(port: number, caller: string, request: Request): Promise<string> {
  const { text } = await call(port, caller, request);
  return (JSON.parse(text) as { task: { id: string } }).task.id;
}

/**
 * Sends requests on one connection and reads none of the responses. Several requests, because the operating system may
 * buffer a whole response of 8 MiB.
 */
export function unread(port: number, caller: string, requests: readonly Request[], more = ''): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {}).pause();
  onTestFinished(() => void socket.destroy());
  for (const { method, path, body = '' } of requests)
    socket.write(head(caller, method, path, Buffer.byteLength(body), more) + body);
  return socket;
}

/** Announces a body of `length` bytes, and sends `sent` of them. */
export function halfSent(port: number, caller: string, path: string, length: number, sent: number): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {}).resume();
  onTestFinished(() => void socket.destroy());
  socket.write(head(caller, 'POST', path, length));
  socket.write(Buffer.alloc(sent, ' '));
  return socket;
}

function head(caller: string, method: string, path: string, length: number, more = ''): string {
  const headers = Object.entries({ host: 'localhost', ...headersOf(caller), 'content-length': String(length) });
  return `${method} ${path} HTTP/1.1\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}${more}\r\n`;
}

/** Resolves with the status of the first response, or with undefined if the server only closes the connection. */
export function statusOn(socket: Socket): Promise<number | undefined> {
  return new Promise((resolve) => {
    socket.once('data', (bytes: Buffer) => resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(bytes.toString('latin1'))?.[1])));
    socket.once('close', () => resolve(undefined));
  });
}
