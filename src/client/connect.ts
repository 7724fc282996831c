import { A2AError, markNested } from '../errors.ts';
import type { AgentCard } from '../model/card.ts';
import type { JsonObject } from '../model/json.ts';
import { systemClock } from '../support/clock.ts';
import { IN_PROCESS, type InProcessAgent, type InProcessHandler } from '../support/in-process.ts';
import { readCard } from '../wire/read-card.ts';
import { CallScope, withScope } from './call-scope.ts';
import { AgentClient } from './client.ts';
import { cardOfHandle, type Connection, createConnection } from './connection.ts';
import type { Deadline } from './deadline.ts';
import { findCard, type FoundCard } from './discovery.ts';
import { spokenAs, waysTo } from './endpoint.ts';
import { Endpoints } from './endpoints.ts';
import type { ConnectOptions } from './options.ts';
import { DEFAULT_TIMEOUTS } from './settings.ts';
import { decodeHandle, isHandle, lacksQuery } from './task-handle.ts';
import { trustedCard } from './trusted-card.ts';
import { type Fetch, FetchTransport } from './transport/fetch-transport.ts';
import { parseUrl } from './trust.ts';

/**
 * What `connect()` takes for an agent: its address, the address of its card, its card, the handle of one of its tasks, an
 * agent made by `agent()`, or anything that answers requests, such as what `createHandler()` makes.
 */
export type ConnectTarget = string | URL | AgentCard | JsonObject | InProcessAgent | { readonly fetch: Fetch };

/** The address of agents in this process. It leads nowhere else. */
const IN_PROCESS_URL = 'http://in-process.invalid';

/** See `entry.ts`. */
export async function connect(target: ConnectTarget, options: ConnectOptions = {}): Promise<AgentClient> {
  try {
    return await connectTo(target, options);
  } catch (error) {
    throw markNested(error);
  }
}

async function connectTo(target: ConnectTarget, options: ConnectOptions): Promise<AgentClient> {
  if (typeof target === 'string' && isHandle(target)) return connectToHandle(target, options);
  if (typeof target === 'string' || target instanceof URL) return connectToUrl(addressIn(target), options);
  if (IN_PROCESS in target) return connectToAgent(target, options);
  if (isHandler(target))
    return connectToHandler(
      (request) => target.fetch(request),
      () => {},
      options,
    );
  return connectToCard(target, options);
}

function isHandler(target: AgentCard | JsonObject | { readonly fetch: Fetch }): target is { readonly fetch: Fetch } {
  return 'fetch' in target && typeof target.fetch === 'function';
}

/** A card and where it was found. */
export interface Discovery extends Pick<FoundCard, 'version' | 'warnings' | 'raw'> {
  readonly card: AgentCard;
  readonly url: string;
}

/** See `entry.ts`. */
export async function tryDiscover(address: string | URL, options: ConnectOptions = {}): Promise<Discovery | null> {
  // A quick check: it does not wait for an agent that may be restarting.
  const connection = createConnection({ reconnectMs: 0, ...options }, undefined);
  try {
    const { value, url, version, warnings, raw } = await discover(connection, addressIn(address), options);
    return { card: value, url, version, warnings, raw };
  } catch (error) {
    if (NOBODY.some((code) => A2AError.is(error, code))) return null;
    throw markNested(error);
  } finally {
    await connection.wiring.transport.close();
  }
}

const NOBODY = ['DISCOVERY_FAILED', 'TRANSPORT_FAILED', 'TIMEOUT', 'INVALID_AGENT_RESPONSE'] as const;

async function connectToUrl(url: URL, options: ConnectOptions): Promise<AgentClient> {
  const connection = createConnection(options, undefined);
  return closedOnError(connection, async () => {
    return clientOf(connection, await discover(connection, url, options), options);
  });
}

async function connectToHandle(handle: string, options: ConnectOptions): Promise<AgentClient> {
  const address = decodeHandle(handle);
  const { url, binding, version } = address;
  if (lacksQuery(address) && options.url === undefined) {
    const message = `The address ${url} has a query, which handles do not hold: say it with connect(handle, { url })`;
    throw new A2AError('INVALID_PARAMS', message);
  }
  const connection = createConnection(options, undefined);
  connection.wiring.trust.add(parseUrl(url));
  if (options.url !== undefined) connection.wiring.trust.add(parseUrl(options.url));
  const card = cardOfHandle(address);
  return closedOnError(connection, async () => {
    const [way] = waysTo(card, { ...options, binding, version, url: options.url ?? url }, undefined);
    const why = `${binding} ${version} is what the handle of the task says`;
    return new AgentClient(connection, new Endpoints([{ ...way, why }]), card, [address]);
  });
}

function connectToCard(json: AgentCard | JsonObject, options: ConnectOptions): Promise<AgentClient> {
  const connection = createConnection(options, undefined);
  return closedOnError(connection, async () => {
    const { wiring } = connection;
    const trusted = await withScope(discoveryScope(options), (scope) => trustedCard(wiring, scope, json));
    const found = await readCard(trusted, wiring.settings.read);
    connection.wiring.settings.warn(found.warnings);
    const [first] = waysTo(found.value, options, undefined);
    connection.wiring.trust.addRecipient(parseUrl(first.url));
    return clientOf(connection, found, options);
  });
}

async function connectToAgent(agent: InProcessAgent, options: ConnectOptions): Promise<AgentClient> {
  const scope = discoveryScope(options);
  return withScope(scope, async ({ deadline }) => {
    const handler = await openedInTime(agent, deadline);
    return connectToHandler(
      (request) => handler.fetch(request),
      () => handler.close(),
      options,
      scope,
    );
  });
}

/** What opens when nobody waits for it any more is closed. */
async function openedInTime(agent: InProcessAgent, deadline: Deadline): Promise<InProcessHandler> {
  const opening = agent[IN_PROCESS]();
  try {
    return await deadline.within(opening);
  } catch (error) {
    void opening.then((handler) => handler.close()).catch(() => {});
    throw error;
  }
}

function connectToHandler(
  fetch: Fetch,
  close: () => Promise<void> | void,
  options: ConnectOptions,
  scope?: CallScope,
): Promise<AgentClient> {
  const connection = createConnection(options, new FetchTransport(fetch, { close }));
  // Whatever address its card has: nothing leaves the process.
  connection.wiring.trust.addAll();
  return closedOnError(connection, async () => {
    const found = await discover(connection, new URL(IN_PROCESS_URL), { ...options, cache: false }, scope);
    return clientOf(connection, found, options);
  });
}

function discoveryScope(options: ConnectOptions): CallScope {
  return new CallScope(options.clock ?? systemClock, options, DEFAULT_TIMEOUTS.discovery);
}

function discover(
  { wiring }: Connection,
  url: URL,
  options: ConnectOptions,
  scope = discoveryScope(options),
): Promise<FoundCard> {
  wiring.trust.add(url);
  return withScope(scope, () => findCard(wiring, scope, url, options));
}

type ReadCard = Pick<FoundCard, 'value' | 'mayAlsoBe'> & Partial<Pick<FoundCard, 'base' | 'forget'>>;

function clientOf(
  connection: Connection,
  { value, base, mayAlsoBe, forget }: ReadCard,
  options: ConnectOptions,
): AgentClient {
  if (options.url !== undefined) connection.wiring.trust.add(parseUrl(options.url));
  const [first, ...others] = waysTo(value, options, base);
  warnIfWithheld(connection, first.url);
  const isGuess = mayAlsoBe !== undefined && options.version === undefined;
  const older = isGuess ? [spokenAs(first, mayAlsoBe)] : [];
  const places = options.url === undefined ? base : undefined;
  const endpoints = new Endpoints([first, ...others, ...older], places, isGuess, forget);
  return new AgentClient(connection, endpoints, value);
}

function warnIfWithheld({ wiring }: Connection, url: string): void {
  const { credentials, trust, settings } = wiring;
  if (credentials === undefined || trust.isRecipient(parseUrl(url))) return;
  const description = `credentials are not sent to ${url}, which only the card names; add it to allowOrigins`;
  settings.warn([{ code: 'credentials-withheld', field: 'supportedInterfaces', description }]);
}

async function closedOnError(connection: Connection, open: () => Promise<AgentClient>): Promise<AgentClient> {
  try {
    return await open();
  } catch (error) {
    await connection.wiring.transport.close();
    throw error;
  }
}

/** People leave the scheme away: on this machine it is http, elsewhere https. */
function addressIn(given: string | URL): URL {
  if (given instanceof URL || /^[a-z][a-z0-9+.-]*:\/\//i.test(given)) return parseUrl(given);
  const isHere = /^(?:localhost|127\.0\.0\.1|\[::1\])(?:[:/]|$)/i.test(given);
  return parseUrl(`${isHere ? 'http' : 'https'}://${given}`);
}
