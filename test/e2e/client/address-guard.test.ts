/** The client checks the address of a host name when it connects, and not before. */
import { expect, test } from 'vitest';

import { NodeClient } from '../../../src/support/http-client/node-client.ts';
import { Leaving } from '../../../src/support/leave-signal.ts';
import { json, startPeer } from './peer.ts';

const request = (url: string, guarded: boolean) =>
  ({ method: 'GET', url: new URL(url), headers: {}, signal: new Leaving(), guarded }) as const;

test('the client does not connect to a host name that resolves to a private address', async () => {
  const peer = await startPeer((_got, response) => json(response, {}));
  const url = peer.url.replace('127.0.0.1', 'localhost');
  const http = new NodeClient(process);
  await expect(http.call(request(url, true))).rejects.toMatchObject({
    name: 'TransportFailure',
    sent: 'no',
    message: expect.stringMatching(/^localhost resolves to the private address (127\.0\.0\.1|::1)$/),
  });
  expect(peer.got).toEqual([]);
  http.close();
});

test('the client connects to a private address for a trusted origin, and fails for an unknown host name', async () => {
  const peer = await startPeer((_got, response) => json(response, {}));
  const http = new NodeClient(process);
  const response = await http.call(request(peer.url.replace('127.0.0.1', 'localhost'), false));
  expect(await response.text(100)).toBe('{}');
  await expect(http.call(request('http://unknown.invalid', true))).rejects.toMatchObject({ sent: 'no' });
  http.close();
});
