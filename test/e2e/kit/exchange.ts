/** Raw HTTP for tests: requests and responses as text, each over a new socket. */
import { type IncomingMessage, request } from 'node:http';

import { onTestFinished } from 'vitest';

import { type SseEvent, SseText } from './sse-text.ts';

/** An HTTP request. A body that is not a string is sent as JSON. */
export interface Ask {
  readonly method: string;
  /** The path with the query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The parsed JSON; undefined if the response is not JSON. */
  readonly json: unknown;
}

/** Sends a request and reads the whole response. */
export async function exchange(url: string, ask: Ask): Promise<Answer> {
  const incoming = await send(url, ask);
  let text = '';
  for await (const chunk of incoming) text += chunk as string;
  return answerOf(incoming.statusCode ?? 0, headersOf(incoming), text);
}

export function answerOf(status: number, headers: Readonly<Record<string, string>>, text: string): Answer {
  const isJson = /json/.test(headers['content-type'] ?? '') && text !== '';
  return { status, headers, text, json: isJson ? (JSON.parse(text) as unknown) : undefined };
}

/** A response that a test reads while the server writes it. */
export interface LiveStream {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The next event; undefined at the end. */
  next(): Promise<SseEvent | undefined>;
  /** All further events until the end. */
  rest(): Promise<readonly SseEvent[]>;
  /** All bytes so far. */
  raw(): string;
  /** Closes the connection. */
  leave(): void;
}

/** Sends a request and returns the stream of its response. */
export async function openStream(url: string, ask: Ask): Promise<LiveStream> {
  const incoming = await send(url, ask);
  onTestFinished(() => void incoming.destroy());
  const parser = new SseText();
  const chunks = incoming[Symbol.asyncIterator]();
  const next = async (): Promise<SseEvent | undefined> => {
    for (;;) {
      const event = parser.take();
      if (event !== undefined) return event;
      const chunk = await chunks.next();
      if (chunk.done === true) return undefined;
      parser.push(chunk.value as string);
    }
  };
  return {
    status: incoming.statusCode ?? 0,
    headers: headersOf(incoming),
    next,
    rest: async () => {
      const events: SseEvent[] = [];
      for (let event = await next(); event !== undefined; event = await next()) events.push(event);
      return events;
    },
    raw: () => parser.text,
    leave: () => void incoming.destroy(),
  };
}

function send(url: string, ask: Ask): Promise<IncomingMessage> {
  const { method, path, headers = {}, body } = ask;
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  const type = text === undefined ? undefined : { 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const outgoing = request(`${url}${path}`, { method, agent: false, headers: { ...type, ...headers } }, (incoming) =>
      resolve(incoming.setEncoding('utf8')),
    );
    outgoing.on('error', reject);
    outgoing.end(text);
  });
}

function headersOf({ headers }: IncomingMessage): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
