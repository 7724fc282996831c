import { connect, type Socket } from 'node:net';

/** A response as it arrived on the wire. */
export interface Answer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** A request that may be invalid in any way: nothing corrects it before it is sent. */
export interface RawRequest {
  readonly method?: string;
  readonly path?: string;
  /** `host`, `connection` and `content-length` are added unless they, or `transfer-encoding`, are listed. */
  readonly headers?: readonly (readonly [name: string, value: string])[];
  readonly body?: string | Uint8Array;
}

/** The bytes of a request. Each character of the head is one byte. */
export function bytesOf({ method = 'POST', path = '/a2a', headers = [], body }: RawRequest): Buffer {
  const content = typeof body === 'string' ? Buffer.from(body) : Buffer.from(body ?? []);
  const names = new Set(headers.map(([name]) => name.toLowerCase()));
  const lines = [`${method} ${path} HTTP/1.1`];
  if (!names.has('host')) lines.push('Host: 127.0.0.1');
  if (!names.has('connection')) lines.push('Connection: close');
  lines.push(...headers.map(([name, value]) => `${name}: ${value}`));
  const hasLength = names.has('content-length') || names.has('transfer-encoding');
  if (body !== undefined && !hasLength) lines.push(`Content-Length: ${content.length}`);
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), content]);
}

/** A raw connection: sends any bytes and records every byte of the response. */
export class Wire {
  readonly socket: Socket;
  /** Resolves with all received bytes when the connection is closed. */
  readonly ended: Promise<string>;
  #received = '';
  #arrived: (() => void)[] = [];

  constructor(port: number) {
    this.socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.socket.setEncoding('utf8');
    this.socket.on('data', (text) => {
      this.#received += String(text);
      for (const look of this.#arrived.splice(0)) look();
    });
    this.ended = new Promise((resolve) => {
      // A connection may close with an error. Only the bytes that arrived before matter.
      this.socket.on('error', () => {});
      this.socket.on('close', () => {
        for (const look of this.#arrived.splice(0)) look();
        resolve(this.#received);
      });
    });
  }

  get received(): string {
    return this.#received;
  }

  send(bytes: string | Uint8Array): this {
    this.socket.write(bytes);
    return this;
  }

  /** Resolves when the received bytes match, or when the connection is closed. */
  async until(isThere: (received: string) => boolean): Promise<string> {
    while (!isThere(this.#received) && !this.socket.destroyed) {
      await new Promise<void>((resolve) => {
        this.#arrived.push(resolve);
      });
    }
    return this.#received;
  }
}

/** Sends a request on a new connection. */
export async function exchange(port: number, request: RawRequest): Promise<Answer> {
  const wire = new Wire(port).send(bytesOf(request));
  const [answer] = readAnswers(await wire.ended, request.method);
  if (answer === undefined) throw new Error('The connection ended without an answer');
  return answer;
}

/** All responses of one connection. @throws if the last one is incomplete */
export function readAnswers(received: string, method = 'POST'): readonly Answer[] {
  const { answers, rest } = takeAnswers(received, method);
  if (rest.length > 0) throw new Error(`Expected an answer, not ${JSON.stringify(rest.toString().slice(0, 200))}`);
  return answers;
}

/** The complete responses, and the bytes of an incomplete one. */
export function takeAnswers(received: string, method = 'POST'): { answers: readonly Answer[]; rest: Buffer } {
  const answers: Answer[] = [];
  let rest: Buffer = Buffer.from(received);
  for (;;) {
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0) return { answers, rest };
    const [first = '', ...lines] = rest.subarray(0, end).toString().split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    );
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1]);
    const isEmpty = method === 'HEAD' || status === 204 || status < 200;
    const body = takeBody(rest.subarray(end + 4), headers, isEmpty);
    if (body === undefined) return { answers, rest };
    answers.push({ status, headers, text: body.text });
    ({ rest } = body);
  }
}

interface Taken {
  readonly text: string;
  readonly rest: Buffer;
}

function takeBody(bytes: Buffer, headers: Readonly<Record<string, string>>, isEmpty: boolean): Taken | undefined {
  if (isEmpty) return { text: '', rest: bytes };
  if (headers['transfer-encoding'] === 'chunked') return takeChunks(bytes);
  const length = Number(headers['content-length'] ?? bytes.length);
  if (length > bytes.length) return undefined;
  return { text: bytes.subarray(0, length).toString(), rest: bytes.subarray(length) };
}

function takeChunks(bytes: Buffer): Taken | undefined {
  let text = '';
  let rest = bytes;
  for (;;) {
    const end = rest.indexOf('\r\n');
    if (end < 0) return undefined;
    const size = Number.parseInt(rest.subarray(0, end).toString(), 16);
    const next = end + 2 + size + 2;
    if (Number.isNaN(size) || next > rest.length) return undefined;
    text += rest.subarray(end + 2, next - 2).toString();
    rest = rest.subarray(next);
    if (size === 0) return { text, rest };
  }
}
