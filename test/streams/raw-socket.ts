import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { WireRequest } from './wire-formats.ts';

/** A connection without an HTTP client, for requests that no client would send. Closed after the test. */
export class RawSocket {
  readonly socket: Socket;
  text = '';
  readonly closed: Promise<void>;
  #wake: (() => void)[] = [];

  constructor(port: number) {
    this.socket = connect(port, '127.0.0.1');
    this.socket.on('error', () => {});
    this.closed = new Promise((resolve) => this.socket.once('close', () => resolve()));
    this.socket.on('data', (chunk: Buffer) => {
      this.text += chunk.toString();
      for (const wake of this.#wake.splice(0)) wake();
    });
    onTestFinished(() => void this.socket.destroy());
  }

  write(text: string): this {
    this.socket.write(text);
    return this;
  }

  /** Waits until the server has sent `text`. */
  async until(text: string): Promise<void> {
    while (!this.text.includes(text)) await new Promise<void>((resolve) => this.#wake.push(resolve));
  }
}

/** The bytes of a request on a connection that stays open for others. */
export function rawRequest({ method, path, headers, body = '' }: WireRequest): string {
  const lines = Object.entries({ host: 'localhost', ...headers, 'content-length': String(Buffer.byteLength(body)) });
  return `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`;
}
