import { A2AError, markNested } from '../errors.ts';
import type { AgentCard } from '../model/card.ts';
import type { JsonObject } from '../model/json.ts';
import { systemClock } from '../support/time/clock.ts';
import { IN_PROCESS, type InProcessAgent, type InProcessHandler } from '../support/net/in-process.ts';
import { readCard } from '../wire/card/read-card.ts';
import { CallScope, withScope } from './request/call-scope.ts';
import { AgentClient } from './client.ts';
import { cardOfHandle, type Connection, createConnection } from './request/connection.ts';
import type { Deadline } from './request/deadline.ts';
import { findCard, type FoundCard } from './card/discovery.ts';
import { dialectNamed, endpointCandidates } from './request/endpoint.ts';
import { Endpoints } from './request/endpoints.ts';
import type { ConnectOptions } from './options.ts';
import { DEFAULT_TIMEOUTS } from './settings.ts';
import { decodeHandle, isHandle, hasMissingQuery } from './task/task-handle.ts';
import { trustedCard } from './card/trusted-card.ts';
import { type Fetch, FetchClient } from '../support/http-client/fetch-client.ts';
import { parseUrl } from './request/trust.ts';

/**
 * An agent for `connect()`: its URL, the URL of its card, its card, the handle of one of its tasks, an agent made with `agent()`, or
 * an object with a `fetch` function, such as the result of `createHandler()`.
 */
export type ConnectTarget =
  | string
  | URL
  | AgentCard
  | JsonObject
  | InProcessAgent
  | {
      /** Processes a request in this process and returns the response. */
      readonly fetch: Fetch;
    };

/** The address of agents in this process. It resolves nowhere. */
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

/** The result of `tryDiscover()`: a card and where it was found. */
export interface Discovery extends Pick<FoundCard, 'version' | 'warnings' | 'raw'> {
  /** The card in the 1.0 format. */
  readonly card: AgentCard;
  /** The URL of the card. */
  readonly url: string;
}

/** See `entry.ts`. */
export async function tryDiscover(address: string | URL, options: ConnectOptions = {}): Promise<Discovery | null> {
  // A quick check does not wait for an agent that may be restarting.
  const connection = createConnection({ reconnectMs: 0, ...options }, undefined);
  try {
    const given = addressIn(address);
    connection.context.trust.add(given);
    const { value, url, version, warnings, raw } = await discover(connection, given, options);
    return { card: value, url, version, warnings, raw };
  } catch (error) {
    if (NO_AGENT_CODES.some((code) => A2AError.is(error, code))) return null;
    throw markNested(error);
  } finally {
    await connection.context.http.close();
  }
}

const NO_AGENT_CODES = ['DISCOVERY_FAILED', 'TRANSPORT_FAILED', 'TIMEOUT', 'INVALID_AGENT_RESPONSE'] as const;

async function connectToUrl(url: URL, options: ConnectOptions): Promise<AgentClient> {
  const connection = createConnection(options, undefined);
  connection.context.trust.add(url);
  return closedOnError(connection, async () => {
    return clientOf(connection, await discover(connection, url, options), options);
  });
}

/**
 * Connects to an agent whose address comes from outside, such as from a model. It must be public, also after its name is resolved, and
 * gets no credentials unless its origin is in `allowOrigins`.
 */
export async function connectToPublic(url: URL, options: ConnectOptions): Promise<AgentClient> {
  const connection = createConnection(options, undefined);
  return closedOnError(connection, async () => {
    return clientOf(connection, await discover(connection, url, options), options);
  });
}

async function connectToHandle(handle: string, options: ConnectOptions): Promise<AgentClient> {
  const address = decodeHandle(handle);
  const { url, binding, version } = address;
  if (hasMissingQuery(address) && options.url === undefined) {
    const message = `The agent's URL ${url} has a query string, which handles do not contain. Pass the whole URL: connect(handle, { url })`;
    throw new A2AError('INVALID_PARAMS', message);
  }
  const connection = createConnection(options, undefined);
  connection.context.trust.add(parseUrl(url));
  if (options.url !== undefined) connection.context.trust.add(parseUrl(options.url));
  const card = cardOfHandle(address);
  return closedOnError(connection, async () => {
    const [way] = endpointCandidates(card, { ...options, binding, version, url: options.url ?? url }, undefined);
    const why = `${binding} ${version} is specified by the task handle`;
    return new AgentClient(connection, new Endpoints([{ ...way, why }]), card, [address]);
  });
}

function connectToCard(json: AgentCard | JsonObject, options: ConnectOptions): Promise<AgentClient> {
  const connection = createConnection(options, undefined);
  return closedOnError(connection, async () => {
    const { context } = connection;
    const trusted = await withScope(discoveryScope(options), (scope) => trustedCard(context, scope, json));
    const found = await readCard(trusted, context.settings.read);
    connection.context.settings.warn(found.warnings);
    const [first] = endpointCandidates(found.value, options, undefined);
    connection.context.trust.addRecipient(parseUrl(first.url));
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

/** Opens an in-process agent. If the deadline passes first, the agent is closed as soon as it has opened. */
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
  const connection = createConnection(options, new FetchClient(fetch, { close }));
  // Requests stay in the process whatever URL the card contains.
  connection.context.trust.addAll();
  return closedOnError(connection, async () => {
    const found = await discover(connection, new URL(IN_PROCESS_URL), { ...options, cache: false }, scope);
    return clientOf(connection, found, options);
  });
}

function discoveryScope(options: ConnectOptions): CallScope {
  return new CallScope(options.clock ?? systemClock, options, DEFAULT_TIMEOUTS.discovery);
}

function discover(
  { context }: Connection,
  url: URL,
  options: ConnectOptions,
  scope = discoveryScope(options),
): Promise<FoundCard> {
  return withScope(scope, () => findCard(context, scope, url, options));
}

type ReadCard = Pick<FoundCard, 'value' | 'mayAlsoBe'> & Partial<Pick<FoundCard, 'base' | 'forget'>>;

function clientOf(
  connection: Connection,
  { value, base, mayAlsoBe, forget }: ReadCard,
  options: ConnectOptions,
): AgentClient {
  if (options.url !== undefined) connection.context.trust.add(parseUrl(options.url));
  const [first, ...others] = endpointCandidates(value, options, base);
  warnIfWithheld(connection, first.url);
  const isGuess = mayAlsoBe !== undefined && options.version === undefined;
  const older = isGuess ? [dialectNamed(first, mayAlsoBe)] : [];
  const places = options.url === undefined ? base : undefined;
  const endpoints = new Endpoints([first, ...others, ...older], places, isGuess, forget);
  return new AgentClient(connection, endpoints, value);
}

function warnIfWithheld({ context }: Connection, url: string): void {
  const { credentials, trust, settings } = context;
  if (credentials === undefined || trust.isRecipient(parseUrl(url))) return;
  const description = `credentials are not sent to ${url}, because only the card names it; add its origin to allowOrigins to send them`;
  settings.warn([{ code: 'credentials-withheld', field: 'supportedInterfaces', description }]);
}

async function closedOnError(connection: Connection, open: () => Promise<AgentClient>): Promise<AgentClient> {
  try {
    return await open();
  } catch (error) {
    await connection.context.http.close();
    throw error;
  }
}

/** Adds a missing scheme: http on this machine, https elsewhere. */
function addressIn(given: string | URL): URL {
  if (given instanceof URL || /^[a-z][a-z0-9+.-]*:\/\//i.test(given)) return parseUrl(given);
  const isHere = /^(?:localhost|127\.0\.0\.1|\[::1\])(?:[:/]|$)/i.test(given);
  return parseUrl(`${isHere ? 'http' : 'https'}://${given}`);
}
