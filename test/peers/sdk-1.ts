import { Message, SendMessageRequest, StreamResponse, Task } from 'a2a-sdk-1';
import {
  type Client,
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from 'a2a-sdk-1/client';
import { AppendFlags } from './append-flags.ts';
import type { Peer, PeerEvent, PeerMessage, PeerPart, PeerTask, ClientMessage } from './peer.ts';

export type Binding = 'JSONRPC' | 'HTTP+JSON';

const SAMPLES: readonly PeerPart[] = [
  { raw: 'SGVsbG8=', filename: 'hello.bin', mediaType: 'application/octet-stream' },
  { url: 'https://example.com/plan.pdf', filename: 'plan.pdf', mediaType: 'application/pdf' },
  { data: { nested: [1, 'two', null] } },
];

/** The official 1.x client, which discovers the agent by its card. */
export async function connect(url: string, binding: Binding): Promise<Peer> {
  return peerOf(await clientOf(url, binding));
}

export function clientOf(url: string, binding: Binding): Promise<Client> {
  const transport = binding === 'JSONRPC' ? new JsonRpcTransportFactory() : new RestTransportFactory();
  return new ClientFactory({ transports: [transport] }).createFromUrl(url);
}

/** The official 1.x client with an agent that supports only 0.3. Over REST it neither sends nor reads file names. */
export async function connectTo03(url: string, binding: Binding): Promise<Peer> {
  const flags = new AppendFlags();
  const options = { legacyCompat: { enabled: true } };
  const cardResolver = new DefaultAgentCardResolver(options);
  const isRpc = binding === 'JSONRPC';
  const transport = isRpc
    ? new JsonRpcTransportFactory(options)
    : new RestTransportFactory({ ...options, fetchImpl: flags.fetch });
  const peer = await peerOf(await new ClientFactory({ transports: [transport], cardResolver }).createFromUrl(url));
  if (isRpc) return peer;
  return flags.withFlags({ ...peer, samples: SAMPLES.map(({ filename: _, ...part }) => part) });
}

async function peerOf(client: Client): Promise<Peer> {
  const { name } = await client.getAgentCard();
  return {
    agentName: name,
    samples: SAMPLES,
    async send(message) {
      const result = await client.sendMessage(requestOf(message));
      if ('messageId' in result) return { message: Message.toJSON(result) as PeerMessage };
      return { task: Task.toJSON(result) as PeerTask };
    },
    stream: (message) => eventsOf(client.sendMessageStream(requestOf(message))),
    get: async (id) => Task.toJSON(await client.getTask({ tenant: '', id })) as PeerTask,
    cancel: async (id) => Task.toJSON(await client.cancelTask({ tenant: '', id, metadata: undefined })) as PeerTask,
    resubscribe: (id) => eventsOf(client.resubscribeTask({ tenant: '', id })),
  };
}

let messages = 0;

export function requestOf({ text, parts = [{ text }], returnImmediately, ...ids }: ClientMessage): SendMessageRequest {
  return SendMessageRequest.fromJSON({
    message: { messageId: `m-${++messages}`, role: 'ROLE_USER', parts, ...ids },
    ...(returnImmediately === true && { configuration: { returnImmediately: true } }),
  });
}

async function* eventsOf(events: AsyncIterable<StreamResponse>): AsyncGenerator<PeerEvent, void> {
  for await (const event of events) yield StreamResponse.toJSON(event) as PeerEvent;
}
