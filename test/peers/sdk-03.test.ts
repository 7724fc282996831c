import {
  JsonRpcTransportFactory,
  RestTransportFactory,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from 'a2a-sdk-0.3/client';
import { describe, expect, test } from 'vitest';
import { peerBehaviours } from './behaviours.ts';
import { serveClerk } from './clerk.ts';
import { all, type Peer, taskOf } from './peer.ts';
import { clientOf, connectRest, connectRpc } from './sdk-03.ts';

const BINDINGS = [
  { binding: 'JSON-RPC', connect: connectRpc, Transport: JsonRpcTransportFactory, path: '/a2a' },
  { binding: 'REST', connect: connectRest, Transport: RestTransportFactory, path: '' },
] as const;

const UNKNOWN = '00000000-0000-4000-8000-000000000000';

for (const { binding, connect } of BINDINGS) {
  peerBehaviours({ name: `JavaScript SDK 0.3 over ${binding}`, connect });
}

describe.each(BINDINGS)('JavaScript SDK 0.3 over $binding', ({ connect, Transport, path }) => {
  test('it reads the same card whatever it speaks, and calls where that says', async () => {
    const { url } = await serveClerk();
    const client = await clientOf(url, new Transport());
    const card = await client.getAgentCard();
    expect(card).toMatchObject({ protocolVersion: '0.3.0', url: `${url}/a2a`, preferredTransport: 'JSONRPC' });
    expect(card.additionalInterfaces?.map((one) => one.url)).toContain(url + path);
  });

  test('a task that has ended is sent once more to whoever resubscribes', async () => {
    const { url } = await serveClerk();
    const peer = await connect(url);
    const task = taskOf(await peer.send({ text: 'report' }));
    expect(await all(peer.resubscribe(task.id))).toEqual([{ task }]);
  });

  test.each<[string, new () => Error, (peer: Peer, done: string) => Promise<unknown>]>([
    ['to get what is not there', TaskNotFoundError, (peer) => peer.get(UNKNOWN)],
    ['to cancel what is not there', TaskNotFoundError, (peer) => peer.cancel(UNKNOWN)],
    ['to go on with what is not there', TaskNotFoundError, (peer) => peer.send({ text: 'more', taskId: UNKNOWN })],
    ['to cancel what has ended', TaskNotCancelableError, (peer, done) => peer.cancel(done)],
    ['to go on with what has ended', UnsupportedOperationError, (peer, taskId) => peer.send({ text: 'more', taskId })],
  ])('it knows the error when it wants %s', async (_, error, call) => {
    const { url } = await serveClerk();
    const peer = await connect(url);
    const { id } = taskOf(await peer.send({ text: 'report' }));
    await expect(call(peer, id)).rejects.toThrow(error);
  });
});
