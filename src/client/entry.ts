import type { AgentClient } from './client.ts';
import type { ConnectTarget, Discovery } from './connect.ts';
import type { CardReport } from './card/inspect-card.ts';
import type { ConnectOptions } from './options.ts';

// The client is imported on first use, so that programs that may never call an agent start faster.

/**
 * Connects to an agent: finds its card, then chooses an interface and a protocol version from it. Close the client when you are
 * done.
 *
 * @param target The URL of the agent or its card, a card, a task handle, an agent made with `agent()`, or an object with a `fetch`
 * function. A URL without a scheme gets `http` on this machine and `https` elsewhere.
 *
 * @example
 * const translator = await connect('http://localhost:4100');
 * console.log(await translator.ask('Good morning'));
 * await translator.close();
 *
 * @throws A2AError `DISCOVERY_FAILED` if no usable card was found, `VERSION_NOT_SUPPORTED` if the agent does not offer the
 * requested version, `UNAUTHENTICATED` or `PERMISSION_DENIED` if the card is protected, `TRANSPORT_FAILED` if the agent cannot be
 * reached, `TIMEOUT` after 30 s or `timeoutMs`, `INVALID_PARAMS` for an invalid target.
 */
export async function connect(target: ConnectTarget, options: ConnectOptions = {}): Promise<AgentClient> {
  const loaded = await import('./connect.ts');
  return loaded.connect(target, options);
}

/**
 * Looks for an agent at an address. Returns `null` if no agent responds there. It does not wait for an agent that restarts.
 *
 * @example
 * const found = await tryDiscover('localhost:4100');
 * if (found !== null) console.log(found.card.name, found.version);
 *
 * @throws A2AError `UNAUTHENTICATED` or `PERMISSION_DENIED` if the card requires other credentials.
 */
export async function tryDiscover(address: string | URL, options: ConnectOptions = {}): Promise<Discovery | null> {
  const loaded = await import('./connect.ts');
  return loaded.tryDiscover(address, options);
}

/**
 * Checks the JSON of an agent card. Reports every problem with its path and a fix.
 *
 * @param found The URL of the card. With it, an interface on a private address is an error unless the card is on one too.
 *
 * @example
 * const { problems } = await inspectCard(await response.json(), response.url);
 * for (const { severity, path, problem, fix } of problems) console.log(severity, path, problem, fix);
 */
export async function inspectCard(json: unknown, found?: string | URL): Promise<CardReport> {
  const loaded = await import('./card/inspect-card.ts');
  return loaded.inspectCard(json, found);
}
