import type { Auth } from '../client/auth/auth.ts';
import type { SignedToken } from '../client/auth/signed-token.ts';
import type { AgentClient } from '../client/client.ts';
import type { ConnectOptions } from '../client/options.ts';

/**
 * A secret that the agents of both hosts share. With it, a handler calls the peer as its own caller: the token names the caller of the
 * first task (`sub`), the agents in between (`act`) and the peer (`aud`). It is valid for 60 s and new for each attempt.
 */
export interface PeerSecret extends Pick<SignedToken, 'secret' | 'orgDomain' | 'issuer' | 'audience'> {
  /** The claim `sub` of requests that an agent makes in its own name. Default: the id of the calling agent. */
  readonly subject?: string;
}

/** An agent on another host that handlers can call. */
export interface PeerOptions extends Pick<ConnectOptions, 'version' | 'binding' | 'headers' | 'allowOrigins'> {
  /** The URL of the agent, or of its card. */
  readonly url: string;
  /** The credentials for the peer, as for `connect()`, or a secret that both share. The token of a caller is never forwarded. */
  readonly auth?: Auth | PeerSecret;
}

/** A peer: its URL, its URL with credentials, or a client for it, which its creator closes. */
export type PeerTarget = string | PeerOptions | AgentClient;

/** Whether the credentials are a secret that both sides share, with which the peer can be called as the caller. */
export function isPeerSecret(auth: PeerOptions['auth']): auth is PeerSecret {
  return typeof auth === 'object' && 'secret' in auth;
}
