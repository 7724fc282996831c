import { expect, test } from 'vitest';
import { officialClientBehaviours } from './official-client-behaviours.ts';
import { serveTestAgent } from './test-agent.ts';
import { type Peer, taskOf } from './peer.ts';
import { connect } from './sdk-02.ts';

officialClientBehaviours({ name: 'JavaScript SDK 0.2', connect });

test.each<[number, string, (peer: Peer, done: string) => Promise<unknown>]>([
  [-32001, 'getting an unknown task', (peer) => peer.get('unknown')],
  [-32001, 'canceling an unknown task', (peer) => peer.cancel('unknown')],
  [-32001, 'continuing an unknown task', (peer) => peer.send({ text: 'more', taskId: 'unknown' })],
  [-32002, 'canceling an ended task', (peer, done) => peer.cancel(done)],
  [-32004, 'continuing an ended task', (peer, taskId) => peer.send({ text: 'more', taskId })],
])('JavaScript SDK 0.2 gets the error %i for %s', async (code, _, call) => {
  const { url } = await serveTestAgent();
  const peer = await connect(url);
  const { id } = taskOf(await peer.send({ text: 'report' }));
  await expect(call(peer, id)).rejects.toThrow(`${code} `);
});
