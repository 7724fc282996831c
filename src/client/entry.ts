import type { AgentClient } from './client.ts';
import type { ConnectTarget, Discovery } from './connect.ts';
import type { CardReport } from './inspect-card.ts';
import type { ConnectOptions } from './options.ts';

/** Loaded when it is first used: a program that only may talk to agents does not wait for it when it starts. */

/**
 * Gets ready to talk to an agent: finds its card and chooses how to talk.
 *
 * @example
 * const translator = await connect('http://localhost:4100');
 * console.log(await translator.ask('Good morning'));
 *
 * @throws A2AError `DISCOVERY_FAILED` if there is no card, or none that can be used.
 */
export async function connect(target: ConnectTarget, options: ConnectOptions = {}): Promise<AgentClient> {
  const loaded = await import('./connect.ts');
  return loaded.connect(target, options);
}

/**
 * Looks for an agent. Null if there is none, or nobody there; an agent whose card is for others only is an error.
 *
 * @throws A2AError `UNAUTHENTICATED`, `PERMISSION_DENIED`
 */
export async function tryDiscover(address: string | URL, options: ConnectOptions = {}): Promise<Discovery | null> {
  const loaded = await import('./connect.ts');
  return loaded.tryDiscover(address, options);
}

/**
 * Looks at the JSON of a card as closely as it can be looked at: every problem with its path and the way to mend it.
 *
 * @param found Where the card was found, for what only makes sense there.
 */
export async function inspectCard(json: unknown, found?: string | URL): Promise<CardReport> {
  const loaded = await import('./inspect-card.ts');
  return loaded.inspectCard(json, found);
}
