/** Notifications over https, which is the default. */
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { expect, onTestFinished, test, vi } from 'vitest';
import { SELF_SIGNED } from '../client/self-signed.ts';
import { deliveryOf, NEVER, outbound } from './deliveries.ts';

interface Notified {
  readonly name: string;
  readonly host: string;
}

/** A receiver with a self-signed certificate, under a host name that resolves to this machine. */
async function startHttpsReceiver(): Promise<{ readonly origin: string; readonly received: readonly Notified[] }> {
  const received: Notified[] = [];
  const server = createServer(SELF_SIGNED, (request, response) => {
    const { servername } = request.socket as TLSSocket & { readonly servername: string };
    received.push({ name: servername, host: request.headers.host ?? '' });
    response.writeHead(204).end();
  });
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `https://hooks.example.com:${(server.address() as AddressInfo).port}`, received };
}

const resolve = async () => [{ address: '127.0.0.1', family: 4 }];

test('a receiver with a self-signed certificate gets no notification', async () => {
  const { origin, received } = await startHttpsReceiver();
  const { pushTransport } = outbound({ push: { allowPrivate: [origin], resolve } });
  expect(await pushTransport.deliver(deliveryOf({ url: `${origin}/hook`, token: 'secret' }), NEVER)).toEqual({
    kind: 'failed',
    reason: 'The receiver could not be reached (DEPTH_ZERO_SELF_SIGNED_CERT)',
  });
  expect(received).toEqual([]);
});

test('a notification names the host in TLS and in the Host header, although it connects to a resolved address', async () => {
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  onTestFinished(() => {
    vi.unstubAllEnvs();
    warned.mockRestore();
  });
  const { origin, received } = await startHttpsReceiver();
  const { pushTransport } = outbound({ push: { allowPrivate: [origin], resolve } });
  expect(await pushTransport.deliver(deliveryOf({ url: `${origin}/hook` }), NEVER)).toEqual({ kind: 'delivered' });
  expect(received).toEqual([{ name: 'hooks.example.com', host: new URL(origin).host }]);
});

test('a receiver at a private address that is not allowed gets no connection', async () => {
  const { origin, received } = await startHttpsReceiver();
  const { pushTransport } = outbound({ push: { resolve } });
  expect(await pushTransport.deliver(deliveryOf({ url: `${origin}/hook` }), NEVER)).toMatchObject({
    kind: 'failed',
    reason: expect.stringContaining('must be a public address'),
  });
  expect(received).toEqual([]);
});
