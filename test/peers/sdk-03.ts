import type { MessageSendParams } from 'a2a-sdk-0.3';
import {
  type Client,
  ClientFactory,
  JsonRpcTransportFactory,
  RestTransportFactory,
  type TransportFactory,
} from 'a2a-sdk-0.3/client';
import { AppendFlags } from './append-flags.ts';
import { NAMELESS_SAMPLES, SAMPLES, wrapByKind, wrapAllByKind } from './kind-objects.ts';
import type { Peer, PeerResult, PeerTask, ClientMessage } from './peer.ts';

/** The official 0.3 client over JSON-RPC. */
export async function connectRpc(url: string): Promise<Peer> {
  return peerOf(await clientOf(url, new JsonRpcTransportFactory()));
}

/** The official 0.3 client over REST, where it neither sends nor reads file names. */
export async function connectRest(url: string): Promise<Peer> {
  const flags = new AppendFlags();
  const peer = await peerOf(await clientOf(url, new RestTransportFactory({ fetchImpl: flags.fetch })));
  return flags.withFlags({ ...peer, samples: NAMELESS_SAMPLES });
}

/** Discovers the agent by its card, and supports one binding only. */
export function clientOf(url: string, transport: TransportFactory): Promise<Client> {
  return new ClientFactory({ transports: [transport] }).createFromUrl(url);
}

async function peerOf(client: Client): Promise<Peer> {
  const { name } = await client.getAgentCard();
  return {
    agentName: name,
    samples: SAMPLES,
    send: async (message) => wrapByKind(await client.sendMessage(requestOf(message))) as PeerResult,
    stream: (message) => wrapAllByKind(client.sendMessageStream(requestOf(message))),
    get: async (id) => (await client.getTask({ id })) as unknown as PeerTask,
    cancel: async (id) => (await client.cancelTask({ id })) as unknown as PeerTask,
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
  return {
    message,
    ...(returnImmediately === true && { configuration: { blocking: false } }),
  } as unknown as MessageSendParams;
}
