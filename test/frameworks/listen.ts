import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { onTestFinished } from 'vitest';

/** Listens on a free port until the test is over, and resolves to the address. */
export async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Listens with a function that handles web-standard requests, as hosts of such frameworks do on Node. */
export function listenWith(handle: (request: Request) => Response | Promise<Response>): Promise<string> {
  return listen((incoming, outgoing) => {
    const disconnected = new AbortController();
    outgoing.on('close', () => disconnected.abort());
    const { method = 'GET', url = '/', headers } = incoming;
    const hasBody = method !== 'GET' && method !== 'HEAD';
    const request = new Request(`http://${headers.host}${url}`, {
      method,
      headers: headers as Record<string, string>,
      signal: disconnected.signal,
      ...(hasBody && { body: Readable.toWeb(incoming) as ReadableStream, duplex: 'half' }),
    });
    void (async () => {
      const { status, headers, body } = await handle(request);
      outgoing.writeHead(status, Object.fromEntries(headers));
      outgoing.flushHeaders();
      if (body === null) outgoing.end();
      else
        Readable.fromWeb(body)
          .on('error', () => outgoing.destroy())
          .pipe(outgoing);
    })();
  });
}
