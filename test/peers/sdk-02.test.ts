import { expect, test } from 'vitest';
import { peerBehaviours } from './behaviours.ts';
import { serveClerk } from './clerk.ts';
import { type Peer, taskOf } from './peer.ts';
import { connect } from './sdk-02.ts';

peerBehaviours({ name: 'JavaScript SDK 0.2', connect });

test.each<[number, string, (peer: Peer, done: string) => Promise<unknown>]>([
  [-32001, 'to get what is not there', (peer) => peer.get('unknown')],
  [-32001, 'to cancel what is not there', (peer) => peer.cancel('unknown')],
  [-32001, 'to go on with what is not there', (peer) => peer.send({ text: 'more', taskId: 'unknown' })],
  [-32002, 'to cancel what has ended', (peer, done) => peer.cancel(done)],
  [-32004, 'to go on with what has ended', (peer, taskId) => peer.send({ text: 'more', taskId })],
])('JavaScript SDK 0.2 is answered %i when it wants %s', async (code, _, call) => {
  const { url } = await serveClerk();
  const peer = await connect(url);
  const { id } = taskOf(await peer.send({ text: 'report' }));
  await expect(call(peer, id)).rejects.toThrow(`${code} `);
});
