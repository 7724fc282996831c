import {
  JsonRpcTransportFactory,
  RestTransportFactory,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from 'a2a-sdk-0.3/client';
import { describe, expect, test } from 'vitest';
import { officialClientBehaviours } from './official-client-behaviours.ts';
import { serveTestAgent } from './test-agent.ts';
import { all, type Peer, taskOf } from './peer.ts';
import { clientOf, connectRest, connectRpc } from './sdk-03.ts';

const BINDINGS = [
  { binding: 'JSON-RPC', connect: connectRpc, Transport: JsonRpcTransportFactory, path: '/a2a' },
  { binding: 'REST', connect: connectRest, Transport: RestTransportFactory, path: '' },
] as const;

const UNKNOWN = '00000000-0000-4000-8000-000000000000';

for (const { binding, connect } of BINDINGS) {
  officialClientBehaviours({ name: `JavaScript SDK 0.3 over ${binding}`, connect });
}

describe.each(BINDINGS)('JavaScript SDK 0.3 over $binding', ({ connect, Transport, path }) => {
  test('it reads the same card over both bindings, and the card has the address of its binding', async () => {
    const { url } = await serveTestAgent();
    const client = await clientOf(url, new Transport());
    const card = await client.getAgentCard();
    expect(card).toMatchObject({ protocolVersion: '0.3.0', url: `${url}/a2a`, preferredTransport: 'JSONRPC' });
    expect(card.additionalInterfaces?.map((one) => one.url)).toContain(url + path);
  });

  test('it gets the task when it resubscribes to a task that has ended', async () => {
    const { url } = await serveTestAgent();
    const peer = await connect(url);
    const task = taskOf(await peer.send({ text: 'report' }));
    expect(await all(peer.resubscribe(task.id))).toEqual([{ task }]);
  });

  test.each<[string, new () => Error, (peer: Peer, done: string) => Promise<unknown>]>([
    ['getting an unknown task', TaskNotFoundError, (peer) => peer.get(UNKNOWN)],
    ['canceling an unknown task', TaskNotFoundError, (peer) => peer.cancel(UNKNOWN)],
    ['continuing an unknown task', TaskNotFoundError, (peer) => peer.send({ text: 'more', taskId: UNKNOWN })],
    ['canceling an ended task', TaskNotCancelableError, (peer, done) => peer.cancel(done)],
    ['continuing an ended task', UnsupportedOperationError, (peer, taskId) => peer.send({ text: 'more', taskId })],
  ])('it throws its own error class for %s', async (_, error, call) => {
    const { url } = await serveTestAgent();
    const peer = await connect(url);
    const { id } = taskOf(await peer.send({ text: 'report' }));
    await expect(call(peer, id)).rejects.toThrow(error);
  });
});
