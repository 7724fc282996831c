import type { JSONRPCResponse, MessageSendParams } from 'a2a-sdk-0.2';
import { A2AClient } from 'a2a-sdk-0.2/client';
import { expect, test } from 'vitest';
import { peerBehaviours } from './behaviours.ts';
import { serveClerk } from './clerk.ts';
import { SAMPLES, wrapped, wrappedAll } from './kind.ts';
import { type Peer, type PeerResult, type PeerTask, type Say, taskOf } from './peer.ts';

/** The official client of 0.2. */
async function connect(url: string): Promise<Peer> {
  const client = new A2AClient(url);
  const { name } = await client.getAgentCard();
  return {
    agentName: name,
    samples: SAMPLES,
    send: async (message) => wrapped(resultOf(await client.sendMessage(requestOf(message)))) as PeerResult,
    stream: (message) => wrappedAll(client.sendMessageStream(requestOf(message))),
    get: async (id) => resultOf(await client.getTask({ id })) as unknown as PeerTask,
    cancel: async (id) => resultOf(await client.cancelTask({ id })) as unknown as PeerTask,
    resubscribe: (id) => wrappedAll(client.resubscribeTask({ id })),
  };
}

let messages = 0;

function requestOf({ text, parts = [{ kind: 'text', text }], atOnce, ...ids }: Say): MessageSendParams {
  const message = { kind: 'message', messageId: `m-${++messages}`, role: 'user', parts, ...ids };
  const configuration = { acceptedOutputModes: [], blocking: atOnce !== true };
  return { message, configuration } as unknown as MessageSendParams;
}

/** This client hands over errors as it does results. */
function resultOf(response: JSONRPCResponse): { readonly kind: string } {
  if ('error' in response) throw new Error(`${response.error.code} ${response.error.message}`);
  return response.result as { readonly kind: string };
}

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
