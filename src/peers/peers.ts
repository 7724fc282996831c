import type { AgentClient } from '../client/client.ts';
import type { Peer, PeerCall, PeerAnswer, PeerHint, Peers, PeerState, PeerUpdate } from '../engine/calls/peers.ts';
import { PeerError } from '../engine/calls/peers.ts';
import type { Log } from '../observe/log.ts';
import type { OpenTelemetry } from '../observe/opentelemetry.ts';
import { isLoopback } from '../support/net/loopback.ts';
import { holdsCredentials } from '../support/net/url-checks.ts';
import { trimEndOf } from '../support/trim-end.ts';
import type { PeerOptions, PeerTarget } from './peer-options.ts';
import type { RemotePeer } from './remote-peer.ts';

export interface PeersSettings {
  /** The configured peers, by id. */
  readonly peers: Readonly<Record<string, PeerTarget>>;
  /** Checks a URL whose origin is not that of a configured peer. @throws Error whose message completes "The URL of the peer …". */
  readonly admit: (url: URL) => unknown;
  /** Whether this is production, where peers on this machine are ignored. */
  readonly isProduction: boolean;
  /** The start of the URL at which peers can notify this host about a call. The id of the call follows. */
  readonly hintUrl: string | undefined;
  readonly log: Log;
  /** Creates spans of the requests. */
  readonly tracing?: OpenTelemetry | undefined;
  /** The clock of the engine. */
  readonly now: () => number;
}

/** Peers that are connected when they are called. */
export interface OpenPeers extends Peers {
  /** Closes the connections. Attempts in progress fail. */
  close(): Promise<void>;
}

/** The name of a peer that is called by URL. Callers must not see the address. */
const UNNAMED = 'remote agent';

/** The most peers by URL whose connections are kept. */
const MAX_UNNAMED = 100;

/**
 * Creates the directory of the agents on other hosts. A reference is the id of a configured peer, or a URL. A URL gets the credentials
 * of the configured peer with the same origin; others must be public and get none.
 */
export function createPeers(settings: PeersSettings): OpenPeers {
  return new PeerDirectory(settings);
}

interface ConfiguredPeer {
  readonly peer: LatePeer;
  /** Undefined for a client. */
  readonly options: PeerOptions | undefined;
  readonly url: URL | undefined;
}

class PeerDirectory implements OpenPeers {
  readonly canHint: boolean;
  readonly #settings: PeersSettings;
  readonly #configured = new Map<string, ConfiguredPeer>();
  /** By URL, the least recently used first. */
  readonly #unnamed = new Map<string, LatePeer>();

  constructor(settings: PeersSettings) {
    this.#settings = settings;
    this.canHint = settings.hintUrl !== undefined;
    for (const [id, target] of Object.entries(settings.peers)) {
      const options = optionsOf(target);
      const url = options && new URL(options.url);
      if (url !== undefined && settings.isProduction && isLoopback(url.hostname)) {
        settings.log.warn('Ignored a peer on this machine, because this is production', { peer: id });
        continue;
      }
      const peer = new LatePeer(id, settings, options ?? (target as AgentClient), true);
      this.#configured.set(id, { peer, options, url });
    }
  }

  find(reference: string): Peer | undefined {
    const configured = this.#configured.get(reference);
    if (configured !== undefined) return configured.peer;
    if (!/^https?:/i.test(reference)) return undefined;
    const url = parsed(reference);
    const known = this.#configuredAt(url);
    if (known !== undefined && sameAgent(known.url, url)) return known.peer;
    if (known === undefined) this.#admit(url);
    return this.#unnamedAt(url, known?.options);
  }

  async close(): Promise<void> {
    const configured = Array.from(this.#configured.values(), ({ peer }) => peer);
    await Promise.all([...configured, ...this.#unnamed.values()].map((peer) => peer.close()));
  }

  /** The configured peer of an origin: the one whose path the URL continues, else the first one. */
  #configuredAt(url: URL): (ConfiguredPeer & { readonly url: URL; readonly options: PeerOptions }) | undefined {
    const ofOrigin = [...this.#configured.values()].flatMap(({ peer, options, url: own }) =>
      own?.origin === url.origin && options !== undefined ? [{ peer, options, url: own }] : [],
    );
    return ofOrigin.find((each) => sameAgent(each.url, url)) ?? ofOrigin[0];
  }

  #admit(url: URL): void {
    try {
      this.#settings.admit(url);
    } catch (error) {
      throw rejected((error as Error).message, error);
    }
  }

  #unnamedAt({ href }: URL, options: PeerOptions | undefined): LatePeer {
    const peer =
      this.#unnamed.get(href) ??
      new LatePeer(UNNAMED, this.#settings, { ...options, url: href }, options !== undefined);
    this.#unnamed.delete(href);
    this.#unnamed.set(href, peer);
    const [oldest] = this.#unnamed;
    if (this.#unnamed.size > MAX_UNNAMED && oldest !== undefined) {
      this.#unnamed.delete(oldest[0]);
      void oldest[1].close();
    }
    return peer;
  }
}

/** A peer whose code is loaded with its first request, because most programs call no other hosts. */
class LatePeer implements Peer {
  readonly name: string;
  readonly #open: () => Promise<OpenedPeer>;
  #opened: Promise<OpenedPeer> | undefined;

  constructor(name: string, settings: PeersSettings, target: PeerOptions | AgentClient, isConfigured: boolean) {
    this.name = name;
    this.#open = async () => {
      const { openPeer } = await import('./open-peer.ts');
      const { hintUrl, now, tracing } = settings;
      return openPeer({ name, target, isConfigured, hintUrl, now, tracing });
    };
  }

  async start(call: PeerCall, signal: AbortSignal): Promise<PeerState> {
    return (await this.#peer()).start(call, signal);
  }

  async attach(call: PeerCall, sentAt: number, signal: AbortSignal): Promise<PeerState | undefined> {
    return (await this.#peer()).attach(call, sentAt, signal);
  }

  async get(call: PeerCall, taskId: string, signal: AbortSignal): Promise<PeerState> {
    return (await this.#peer()).get(call, taskId, signal);
  }

  async follow(
    call: PeerCall,
    taskId: string,
    after: number | undefined,
    signal: AbortSignal,
  ): Promise<AsyncIterable<PeerUpdate> | undefined> {
    return (await this.#peer()).follow(call, taskId, after, signal);
  }

  async answer(call: PeerCall, taskId: string, answer: PeerAnswer, signal: AbortSignal): Promise<PeerState> {
    return (await this.#peer()).answer(call, taskId, answer, signal);
  }

  async cancel(call: PeerCall, taskId: string, signal: AbortSignal): Promise<PeerState> {
    return (await this.#peer()).cancel(call, taskId, signal);
  }

  async requestHints(call: PeerCall, taskId: string, hint: PeerHint, signal: AbortSignal): Promise<boolean> {
    return (await this.#peer()).requestHints(call, taskId, hint, signal);
  }

  async close(): Promise<void> {
    const opened = await this.#opened?.catch(() => undefined);
    await opened?.close();
  }

  async #peer(): Promise<RemotePeer> {
    return (await (this.#opened ??= this.#open())).peer;
  }
}

/** A peer with its code loaded. */
export interface OpenedPeer {
  readonly peer: RemotePeer;
  close(): Promise<void>;
}

function optionsOf(target: PeerTarget): PeerOptions | undefined {
  if (typeof target === 'string') return { url: target };
  return 'url' in target ? target : undefined;
}

/** Whether two URLs of one origin are those of the same agent. */
function sameAgent(one: URL, other: URL): boolean {
  return trimEndOf(one.pathname, '/') === trimEndOf(other.pathname, '/') && one.search === other.search;
}

/** @throws PeerError */
function parsed(reference: string): URL {
  if (!URL.canParse(reference)) throw rejected('must be an absolute http or https URL');
  const url = new URL(reference);
  url.hash = '';
  if (holdsCredentials(url)) throw rejected('must not contain a user name or password');
  return url;
}

function rejected(why: string, cause?: unknown): PeerError {
  return new PeerError('rejected', `The URL of the peer ${why}`, { cause, isUnsent: true });
}
