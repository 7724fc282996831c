import { once } from 'node:events';
import { createServer, request as forward, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** Decides by the request whether its response is lost. */
type Loses = (method: string, body: string) => boolean;

export interface LossyProxy {
  readonly url: string;
  /** The bodies of all requests with a body, in order. */
  readonly bodies: readonly string[];
  /** The headers of the same requests. */
  readonly headers: readonly IncomingMessage['headers'][];
  /** The target processes the next request for which this is true, and the connection breaks before the response. */
  loseNext(loses: Loses): void;
  /** Forwards to another server from now on. */
  moveTo(target: string): void;
}

/** A proxy in front of a peer. Responses name the proxy where they name the peer. */
export async function startLossyProxy(first: string): Promise<LossyProxy> {
  let target = first;
  let loses: Loses | undefined;
  const bodies: string[] = [];
  const headers: IncomingMessage['headers'][] = [];
  const server = createServer((incoming, outgoing) => {
    void (async () => {
      const body = await textOf(incoming);
      if (body !== '') {
        bodies.push(body);
        headers.push(incoming.headers);
      }
      const { method = 'GET', url = '/' } = incoming;
      const isLost = loses?.(method, body) === true;
      if (isLost) loses = undefined;
      const { host: _, 'content-length': __, ...rest } = incoming.headers;
      const onward = forward(target + url, { method, headers: { ...rest, 'accept-encoding': 'identity' } });
      onward.on('error', () => outgoing.destroy());
      outgoing.on('close', () => onward.destroy());
      onward.on('response', (response) => {
        void (async () => {
          if (isLost) {
            await textOf(response);
            outgoing.destroy();
            return;
          }
          const { 'content-length': _, ...kept } = response.headers;
          outgoing.writeHead(response.statusCode ?? 502, kept);
          for await (const chunk of response) outgoing.write(String(chunk).replaceAll(target, own));
          outgoing.end();
        })().catch(() => outgoing.destroy());
      });
      onward.end(body);
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  const own = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: own,
    bodies,
    headers,
    loseNext: (when) => {
      loses = when;
    },
    moveTo: (next) => {
      target = next;
    },
  };
}

async function textOf(stream: AsyncIterable<unknown>): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  return text;
}
