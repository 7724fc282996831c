import type { Agent } from '../../agent/agent.ts';
import type { AgentClient } from '../../client/client.ts';
import { connect } from '../../client/connect.ts';
import type { Clock } from '../../support/time/clock.ts';
import type { FakePeer } from '../fake-peer.ts';

/** The agents that an agent under test can call. Each simulated process has its own connections to them. */
export class TestPeers {
  /** The agents of the same host. */
  readonly agents: readonly Agent[];
  readonly #clients = new Map<string, AgentClient>();
  #requests = 0;

  private constructor(agents: readonly Agent[]) {
    this.agents = agents;
  }

  /** @param clock The clock of the process, for pauses and timeouts of its requests. */
  static async connect(peers: Readonly<Record<string, FakePeer | Agent>>, clock: Clock): Promise<TestPeers> {
    const agents = Object.entries(peers).flatMap(([id, peer]) => (isFakePeer(peer) ? [] : [{ ...peer, id }]));
    const opened = new TestPeers(agents);
    // Loaded with the first call otherwise, which would look as if nothing happened.
    if (agents.length < Object.keys(peers).length) await import('../../peers/open-peer.ts');
    for (const [id, peer] of Object.entries(peers)) if (isFakePeer(peer)) await opened.#open(id, peer, clock);
    return opened;
  }

  /** The clients of the fake peers. */
  get clients(): Readonly<Record<string, AgentClient>> {
    return Object.fromEntries(this.#clients);
  }

  get hasRemote(): boolean {
    return this.#clients.size > 0;
  }

  /** Whether a request has no response yet. */
  get isBusy(): boolean {
    return this.#requests > 0;
  }

  async close(): Promise<void> {
    await Promise.all(Array.from(this.#clients.values(), (client) => client.close()));
  }

  async #open(id: string, peer: FakePeer, clock: Clock): Promise<void> {
    const fetch: FakePeer['fetch'] = async (input, init) => {
      this.#requests++;
      try {
        return await peer.fetch(input, init);
      } finally {
        this.#requests--;
      }
    };
    // The engine repeats requests, as it does for peers by URL.
    const options = { fetch, clock, cache: false, retries: 0, reconnectMs: 0 } as const;
    this.#clients.set(id, await connect(peer.url, options));
  }
}

function isFakePeer(peer: FakePeer | Agent): peer is FakePeer {
  return 'doubleSends' in peer;
}
