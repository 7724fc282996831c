import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';

import { onTestFinished } from 'vitest';

type Fetch = (request: Request) => Promise<Response>;

/** Serves a web-standard handler on a socket and returns its URL. */
export async function bridge(fetch: Fetch): Promise<string> {
  const http = createServer((incoming, outgoing) => void answer(fetch, incoming, outgoing));
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  onTestFinished(async () => {
    http.closeAllConnections();
    http.close();
    await once(http, 'close');
  });
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
}

async function answer(fetch: Fetch, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const left = new AbortController();
  outgoing.on('close', () => left.abort());
  const response = await fetch(requestOf(incoming, left.signal));
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body === null) outgoing.end();
  else Readable.fromWeb(response.body as never).pipe(outgoing);
}

function requestOf(incoming: IncomingMessage, signal: AbortSignal): Request {
  const { method = 'GET', url = '/', headers } = incoming;
  const hasBody = method !== 'GET' && method !== 'HEAD';
  return new Request(`http://${headers.host}${url}`, {
    method,
    headers: Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]),
    signal,
    ...(hasBody && { body: Readable.toWeb(incoming) as ReadableStream, duplex: 'half' }),
  });
}
