import { onTestFinished } from 'vitest';

import { publicBy } from '../../../src/node/exposure.ts';
import { type AgentServer, serve, type ServeOptions } from '../../../src/node/serve.ts';
import { silentLog } from '../../../src/observe/log.ts';
import type { Agent } from '../../../src/agent/agent.ts';
import { memoryStore } from '../../../src/store/memory/store.ts';
import { type Answer, type Ask, exchange, type LiveStream, openStream } from './exchange.ts';
import { type ScriptOptions, scripted } from './script.ts';

export interface TestServer {
  readonly url: string;
  readonly server: AgentServer;
  /** Releases one held task, or the next one that is held. */
  release(): void;
  /** The number of runs so far. */
  runs(): number;
  ask(ask: Ask): Promise<Answer>;
  open(ask: Ask): Promise<LiveStream>;
}

export interface TestServerOptions extends ServeOptions {
  /** Options of the scripted agent. */
  readonly agent?: ScriptOptions;
}

/** Serves the scripted agent on a socket until the test ends. */
export async function startServer({ agent: more, ...options }: TestServerOptions = {}): Promise<TestServer> {
  const { agent, release, runs } = scripted(more);
  const { url, server, ask, open } = await serveOnSocket(agent, options);
  return { url, server, release, runs, ask, open };
}

/** Serves any agent on a socket until the test ends. */
export async function serveOnSocket(
  agent: Agent,
  options: ServeOptions = {},
): Promise<Pick<TestServer, 'url' | 'server' | 'ask' | 'open'>> {
  const server = await serve(agent, {
    port: 0,
    store: memoryStore(),
    log: silentLog,
    ...exposureOf(options),
    ...options,
  });
  onTestFinished(() => server.close({ finishMs: 0 }));
  const { url } = server;
  return { url, server, ask: (ask) => exchange(url, ask), open: (ask) => openStream(url, ask) };
}

/** `insecurePublic` for agents at a public address, which reject anonymous callers without it. */
function exposureOf({ host = '127.0.0.1', publicUrl, trustProxy = false }: ServeOptions): ServeOptions {
  return { insecurePublic: publicBy({ host, publicUrl, trustProxy }) !== undefined };
}
