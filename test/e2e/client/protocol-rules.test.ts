/** Rules of the protocol for clients that no other test verifies. */
import { once } from 'node:events';
import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';

import { expect, onTestFinished, test } from 'vitest';

import { connect } from '../../../src/client/connect.ts';
import type { Interceptor } from '../../../src/client/request/interceptor.ts';
import { deferred } from '../../../src/support/deferred.ts';
import { fakePeer, type FakePeer, type FakePeerOptions } from '../../../src/testing/index.ts';
import { verifies } from '../../helpers/verifies.ts';
import { startServer } from '../kit/server.ts';
import { connected, skippingClock, TRANSPORTS } from './kit.ts';
import { chunk, result, startPeer, status, stream, task } from './peer.ts';
import { SELF_SIGNED } from './self-signed.ts';

async function peerWith(options: FakePeerOptions): Promise<FakePeer> {
  const peer = await fakePeer(options);
  onTestFinished(() => peer.close());
  return peer;
}

test(verifies('V-02', 'the version may be in the query of the address instead of the header'), async () => {
  const { url } = await startServer();
  const withoutHeader: Interceptor = ({ headers, ...outgoing }, next) => {
    const { 'a2a-version': _, ...others } = headers;
    return next({ ...outgoing, headers: others });
  };
  const address = `${url}/a2a?A2A-Version=0.2`;
  const agent = await connected(url, {
    version: '0.2',
    binding: 'JSONRPC',
    url: address,
    interceptors: [withoutHeader],
  });
  expect(await agent.ask('hello')).toBe('hello');
  const wrong = await connected(url, {
    version: '0.2',
    url: `${url}/a2a?A2A-Version=7.0`,
    interceptors: [withoutHeader],
  });
  await expect(wrong.ask('hello')).rejects.toMatchObject({ code: 'VERSION_NOT_SUPPORTED' });
});

test.each(TRANSPORTS)(
  verifies('H-03', 'over %s, the client sends no request to a server with a self-signed certificate'),
  async (_name, options) => {
    let requests = 0;
    const server = createServer(SELF_SIGNED, (_request, response) => {
      requests += 1;
      response.end('{}');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    });
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;

    await expect(connect(url, { ...options, cache: false, clock: skippingClock })).rejects.toMatchObject({
      code: 'TRANSPORT_FAILED',
      message: expect.stringMatching(/self-signed certificate/),
    });
    expect(requests).toBe(0);

    // Only the certificate is the reason: a client that trusts it gets a response.
    const trusting = request(url, { ca: SELF_SIGNED.cert, agent: false }).end();
    const [response] = (await once(trusting, 'response')) as [import('node:http').IncomingMessage];
    response.resume();
    await once(response, 'end');
    expect(requests).toBe(1);
  },
);

test.each(['block', 'stream'] as const)(
  verifies('S-12', 'the result of a task comes from its artifacts, not from status messages or the history (wait: %s)'),
  async (wait) => {
    const artifacts = [{ artifactId: 'a', parts: [{ text: 'The result' }] }];
    const statusWithMessage = status('COMPLETED', 'All done, have a nice day')['statusUpdate'] as Record<
      string,
      unknown
    >;
    const peer = await startPeer(({ rpc }, response) => {
      if (rpc?.method === 'SendMessage')
        return result(response, { task: task('COMPLETED', { ...statusWithMessage, artifacts }) });
      const write = stream(response);
      write({ task: task('WORKING') });
      write(status('WORKING', 'Nearly there'));
      write(chunk('The result', false));
      write(status('COMPLETED', 'All done, have a nice day'));
      response.end();
    });
    const agent = await connected(peer.url);
    expect(await agent.ask('hi', { wait })).toBe('The result');
  },
);

test(verifies('C-09', 'only an answer contains a task id, and only one that the agent has created'), async () => {
  const peer = await peerWith({
    script: ['One', [{ status: 'input-required', text: 'Where to?' }], 'Off to Rome', 'Two'],
  });
  const agent = await connected(peer.url);
  const first = await agent.send('hi');
  const { contextId = '' } = first;
  const question = await agent.send('and now?', { contextId });
  await agent.task(question.handle ?? '').answer('Rome');
  await agent.send('thanks', { contextId });
  const created = peer.tasks.map(({ id }) => id);
  expect(peer.requests.filter(({ text }) => text !== undefined).map(({ taskId }) => taskId)).toEqual([
    undefined,
    undefined,
    question.task?.id,
    undefined,
  ]);
  expect(created).toContain(question.task?.id);
});

test(verifies('I-05', 'a subscriber of a task that waits for an authorization gets the events after it'), async () => {
  const authorised = deferred<void>();
  const peer = await peerWith({
    script: [
      [{ status: 'auth-required', text: 'Log in' }, { until: authorised.promise }, { status: 'working' }, 'Done'],
    ],
  });
  const agent = await connected(peer.url);
  const waiting = await agent.send('hi');
  expect(waiting).toMatchObject({ state: 'auth-required', text: 'Log in' });
  const seen: string[] = [];
  for await (const event of agent.task(waiting.handle ?? '').subscribe()) {
    seen.push(event.type === 'artifact' ? event.text : 'state' in event ? event.state : event.type);
    authorised.resolve();
  }
  expect(seen).toEqual(['auth-required', 'working', 'Done', 'completed']);
});
