import { CallScope, withScope } from './call-scope.ts';
import { AgentClient } from './client.ts';
import { createConnection } from './connection.ts';
import { findCard } from './discovery.ts';
import { endpointsOf } from './endpoint.ts';
import { Endpoints } from './endpoints.ts';
import type { ConnectOptions } from './options.ts';
import { DEFAULT_TIMEOUTS } from './settings.ts';
import { parseUrl } from './trust.ts';

/** What `connect()` takes for an agent. */
export type ConnectTarget = string | URL;

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
  const connection = createConnection(options, undefined);
  const { wiring } = connection;
  const base = parseUrl(target);
  wiring.trust.add(base);
  const scope = new CallScope(wiring.settings.clock, options, wiring.settings.timeoutMs ?? DEFAULT_TIMEOUTS.discovery);
  const found = await withScope(scope, () => findCard(wiring, scope, base));
  wiring.settings.warn(found.warnings);
  return new AgentClient(connection, new Endpoints(endpointsOf(found.value, options, found.url)), found.value);
}
