import { AgentClient } from '../client/client.ts';
import { connect, connectToPublic } from '../client/connect.ts';
import type { ConnectOptions } from '../client/options.ts';
import type { OpenTelemetry } from '../observe/opentelemetry.ts';
import { defined } from '../support/defined.ts';
import { clientAuth } from './identity.ts';
import { PeerConnection } from './peer-connection.ts';
import type { PeerOptions } from './peer-options.ts';
import type { OpenedPeer } from './peers.ts';
import { RemotePeer, type RemotePeerSettings } from './remote-peer.ts';

interface PeerFacts extends Pick<RemotePeerSettings, 'name' | 'isConfigured' | 'hintUrl' | 'now'> {
  readonly target: PeerOptions | AgentClient;
  readonly tracing: OpenTelemetry | undefined;
}

/** Creates a peer. It connects with its first request. */
export function openPeer({ target, tracing, ...facts }: PeerFacts): OpenedPeer {
  const isClient = target instanceof AgentClient;
  const auth = isClient ? undefined : target.auth;
  const open = isClient ? () => Promise.resolve(target) : () => connected(target, facts.isConfigured, tracing);
  const connection = new PeerConnection(facts.name, open, !isClient);
  return { peer: new RemotePeer({ ...facts, connection, auth }), close: () => connection.close() };
}

function connected(
  options: PeerOptions,
  isConfigured: boolean,
  tracing: OpenTelemetry | undefined,
): Promise<AgentClient> {
  const { url, auth, version, binding, headers, allowOrigins } = options;
  const given: ConnectOptions = defined({
    auth: clientAuth(auth),
    version,
    binding,
    headers,
    allowOrigins,
    tracing,
    // The card is kept with the client. If it is outdated, a cached one would be, too.
    cache: false,
    // The engine stores when to try again.
    retries: 0,
    reconnectMs: 0,
  });
  return isConfigured ? connect(url, given) : connectToPublic(new URL(url), given);
}
