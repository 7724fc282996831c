/** Over https, which is how receivers are told unless somebody says otherwise. */
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { expect, onTestFinished, test, vi } from 'vitest';
import { SELF_SIGNED } from '../client/self-signed.ts';
import { deliveryOf, NEVER, outbound } from './deliveries.ts';

interface Told {
  readonly name: string;
  readonly host: string;
}

/** A receiver with a certificate that nobody has vouched for, under a name that leads to this machine. */
async function startEncrypted(): Promise<{ readonly origin: string; readonly told: readonly Told[] }> {
  const told: Told[] = [];
  const server = createServer(SELF_SIGNED, (request, response) => {
    const { servername } = request.socket as TLSSocket & { readonly servername: string };
    told.push({ name: servername, host: request.headers.host ?? '' });
    response.writeHead(204).end();
  });
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `https://hooks.example.com:${(server.address() as AddressInfo).port}`, told };
}

const resolve = async () => [{ address: '127.0.0.1', family: 4 }];

test('a receiver that cannot prove its name is told nothing', async () => {
  const { origin, told } = await startEncrypted();
  const { pushTransport } = outbound({ push: { allowPrivate: [origin], resolve } });
  expect(await pushTransport.deliver(deliveryOf({ url: `${origin}/hook`, token: 'secret' }), NEVER)).toEqual({
    kind: 'failed',
    reason: 'The receiver could not be reached (DEPTH_ZERO_SELF_SIGNED_CERT)',
  });
  expect(told).toEqual([]);
});

test('a receiver is asked for by its name, though the connection goes to an address', async () => {
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  onTestFinished(() => {
    vi.unstubAllEnvs();
    warned.mockRestore();
  });
  const { origin, told } = await startEncrypted();
  const { pushTransport } = outbound({ push: { allowPrivate: [origin], resolve } });
  expect(await pushTransport.deliver(deliveryOf({ url: `${origin}/hook` }), NEVER)).toEqual({ kind: 'delivered' });
  expect(told).toEqual([{ name: 'hooks.example.com', host: new URL(origin).host }]);
});

test('one that leads to this machine without leave is not connected to', async () => {
  const { origin, told } = await startEncrypted();
  const { pushTransport } = outbound({ push: { resolve } });
  expect(await pushTransport.deliver(deliveryOf({ url: `${origin}/hook` }), NEVER)).toMatchObject({
    kind: 'failed',
    reason: expect.stringContaining('must be a public address'),
  });
  expect(told).toEqual([]);
});
