import type { JSONRPCResponse, MessageSendParams } from 'a2a-sdk-0.2';
import { A2AClient } from 'a2a-sdk-0.2/client';
import { SAMPLES, wrapped, wrappedAll } from './kind.ts';
import type { Peer, PeerResult, PeerTask, Say } from './peer.ts';

/** The official client of 0.2. */
export async function connect(url: string): Promise<Peer> {
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
