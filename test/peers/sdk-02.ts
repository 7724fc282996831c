import type { JSONRPCResponse, MessageSendParams } from 'a2a-sdk-0.2';
import { A2AClient } from 'a2a-sdk-0.2/client';
import { SAMPLES, wrapByKind, wrapAllByKind } from './kind-objects.ts';
import type { Peer, PeerResult, PeerTask, ClientMessage } from './peer.ts';

/** The official 0.2 client. */
export async function connect(url: string): Promise<Peer> {
  const client = new A2AClient(url);
  const { name } = await client.getAgentCard();
  return {
    agentName: name,
    samples: SAMPLES,
    send: async (message) => wrapByKind(resultOf(await client.sendMessage(requestOf(message)))) as PeerResult,
    stream: (message) => wrapAllByKind(client.sendMessageStream(requestOf(message))),
    get: async (id) => resultOf(await client.getTask({ id })) as unknown as PeerTask,
    cancel: async (id) => resultOf(await client.cancelTask({ id })) as unknown as PeerTask,
    resubscribe: (id) => wrapAllByKind(client.resubscribeTask({ id })),
  };
}

let messages = 0;

function requestOf({
  text,
  parts = [{ kind: 'text', text }],
  returnImmediately,
  ...ids
}: ClientMessage): MessageSendParams {
  const message = { kind: 'message', messageId: `m-${++messages}`, role: 'user', parts, ...ids };
  const configuration = { acceptedOutputModes: [], blocking: returnImmediately !== true };
  return { message, configuration } as unknown as MessageSendParams;
}

/** The 0.2 client returns errors instead of throwing them. */
function resultOf(response: JSONRPCResponse): { readonly kind: string } {
  if ('error' in response) throw new Error(`${response.error.code} ${response.error.message}`);
  return response.result as { readonly kind: string };
}
