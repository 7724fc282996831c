import { RETENTION, type Retention } from '../../engine/schedule/retention.ts';
import type { Audit } from '../../observe/audit.ts';
import type { Log } from '../../observe/log.ts';
import type { OpenTelemetry } from '../../observe/opentelemetry.ts';
import type { Store } from '../../store/store.ts';
import {
  type AnyTable,
  callback,
  count,
  flag,
  group,
  objectWith,
  option,
  type OptionTable,
  readTable,
  type Settings,
  WITH_OTHERS,
  word,
} from '../../support/options.ts';
import type { Clock } from '../../support/time/clock.ts';
import { type Binding, type ProfileName } from '../../wire/offer.ts';
import type { ProtocolVersion } from '../../wire/version.ts';
import type { Agent } from '../../agent/agent.ts';
import { type CardSigningOptions, readCardSigning } from './card-signing-options.ts';
import { type AccessOptions, readAccess } from '../../host/options/access-options.ts';
import { type AuthOption, readAuth } from '../../host/auth/auth-option.ts';
import { Check, isObject, kindOf } from '../../support/check.ts';
import { type CorsOptions, readCors } from '../http/cors.ts';
import { type Limits, readLimits } from '../../host/limits/limit-settings.ts';
import { type ExtendedCardOption, readExtendedCard } from './extended-card-options.ts';
import { type FileOptions, FILES, MAX_TIMER_MS } from '../../host/options/file-options.ts';
import { type PeersOption, readPeers } from '../../host/options/peer-options.ts';
import { type PushOptions, readPushOptions } from '../../host/options/push-options.ts';
import { readPath } from '../../host/options/option-readers.ts';
import { readCardForm, readOffer, readRpcPaths } from './offer-options.ts';
import { readServerless, type ServerlessOptions } from '../serverless/serverless-options.ts';
import { trimEndOf } from '../../support/trim-end.ts';

/** Options of streams. */
export interface StreamingOptions {
  /**
   * Ends each artifact that was sent in chunks with one event that contains all of it (`append: false`, `lastChunk: true`), as agents
   * built with Google ADK do. Set it for clients that keep only the last chunk. Default: `false`.
   */
  readonly closeWithWhole?: boolean;
}

/** The options of `streaming`. */
export const STREAMING = { closeWithWhole: flag(false) } as const satisfies OptionTable<StreamingOptions>;

/** Options of `createHandler()`, and of `serve()`. All of them are optional. */
export interface HandlerOptions {
  /**
   * Where tasks are stored. Default: `createHandler()` keeps them in memory, where they are lost with the process; `serve()` opens
   * the SQLite file `.tandem/<agent id>.db` in the working directory.
   */
  readonly store?: Store;
  /**
   * How callers authenticate: one authenticator or several. A request needs valid credentials for one of them. Default: JWTs signed
   * with `A2A_SECRET` if that environment variable is set and `insecurePublic` is not; otherwise all callers are anonymous.
   * `false`: all callers are anonymous, whatever the environment contains.
   *
   * @example
   * auth: [bearerTokens({ alice: process.env.ALICE_TOKEN }), oidc({ issuer: 'https://login.example' })]
   */
  readonly auth?: AuthOption | readonly AuthOption[] | false;
  /**
   * The name of an environment variable, such as `A2A_API_KEY`, whose value is accepted as a bearer token. All callers that send it
   * are one caller, whose id is the name of the variable.
   */
  readonly apiKeyEnv?: string;
  /** The public URL of the handler, which the card contains. Default: derived from each request. */
  readonly publicUrl?: string;
  /**
   * Trusts `X-Forwarded-Host`, `X-Forwarded-Proto` and `X-Forwarded-Prefix` for the URL, and the last entry of `X-Forwarded-For` for
   * the address of the caller. Set it only behind your own proxy that overwrites these headers. Default: `false`.
   */
  readonly trustProxy?: boolean;
  /** The path prefix under which the handler is mounted, such as `/agent`, if the framework does not strip it. Default: none. */
  readonly basePath?: string;
  /**
   * The paths that serve JSON-RPC. The card lists the first one. Default: `/a2a` and `/`. With the profile `agent-native` the
   * default is `/` and `/a2a`, because its clients treat a URL that ends in `/a2a` as their own endpoint.
   */
  readonly rpcPaths?: readonly string[];
  /** The protocol versions to serve: `1.0`, `0.3`, `0.2`, `0.1`. Default: all of them. */
  readonly versions?: readonly ProtocolVersion[];
  /** The bindings to serve and to list on the card, the preferred one first. Default: `JSONRPC` and `HTTP+JSON`. */
  readonly bindings?: readonly Binding[];
  /**
   * Follows the specification to the letter. The server rejects requests that deviate from their version instead of accepting them
   * with a warning in the log. A 1.0 request must specify its version (1.0 §3.6.2). Before 1.0, canceling a canceled task is an
   * error. Implies `enforceOutputModes`. Default: `false`.
   */
  readonly strict?: boolean;
  /**
   * Rejects a message before the handler runs if its `acceptedOutputModes` has no type in common with the output types of the agent.
   * In any case the handler gets the list as `ctx.acceptedOutputModes`, and all of its output is delivered. Default: `false`.
   */
  readonly enforceOutputModes?: boolean;
  /**
   * Also serves clients of systems with their own dialect: `rxjs`, `agent-native`, `corvid`. Each profile has its own path and card.
   * All other paths stay standard A2A. Default: none.
   */
  readonly profile?: ProfileName | readonly ProfileName[];
  /** The format of 0.3 REST responses if the request does not show one. Default: `proto`. */
  readonly restStyle?: 'proto' | 'kind' | 'kind-bare';
  /** The card for clients that send no `A2A-Version`. Default: `superset`, which clients of 1.0 and of 0.3 can read. */
  readonly cardForm?: 'superset' | '1.0' | '0.3';
  /** Whether the agent supports streaming, and how. Default: `true`. */
  readonly streaming?: boolean | StreamingOptions;
  /** Whether callers can register webhooks for their tasks. Default: `false`. See `push` for the details. */
  readonly pushNotifications?: boolean;
  /**
   * Whether callers can read the state changes of their tasks. The card then declares the extension `urn:tandem-a2a:transitions:1`.
   * Default: `true`.
   */
  readonly stateTransitionHistory?: boolean;
  /**
   * Whether a message that an authenticated caller repeats, with the same `messageId`, content, task and context, returns the result
   * of the first one instead of running again. A repeated `Idempotency-Key` is always recognised. Default: `true`.
   */
  readonly deduplicateByMessageId?: boolean;
  /** The largest request body in bytes. The server rejects larger bodies with `PAYLOAD_TOO_LARGE`. Default: 8 MiB. */
  readonly maxBodyBytes?: number;
  /** The interval of keep-alive comments on idle streams, in milliseconds. Default: 15 s. */
  readonly heartbeatMs?: number;
  /** The runs of all agents at a time in this process, in addition to `concurrency` of each agent. Default: no such limit. */
  readonly concurrency?: number;
  /** How long ended tasks and their events are kept. Default: ended tasks for 30 days, at most 1,000,000 of them. */
  readonly retention?: Partial<Retention>;
  /** Receives log events. Default: warnings and errors go to the console. */
  readonly log?: Log;
  /** Limits on requests, streams and sizes. Each has a default; see `Limits`. */
  readonly limits?: Partial<Limits>;
  /**
   * An extended card for authenticated callers: `true` lists the skills that the caller can use, an object or a function changes
   * further members. Requires `auth`. Default: none.
   */
  readonly extendedCard?: ExtendedCardOption;
  /** The keys that sign the cards. Requires `publicUrl`, unless `serve()` listens on a single address. Default: unsigned. */
  readonly cardSigning?: CardSigningOptions;
  /**
   * `import * as api from '@opentelemetry/api'` creates spans. Default: incoming trace context is propagated and no spans are
   * created. `false` disables both.
   */
  readonly tracing?: OpenTelemetry | false;
  /** Serves Prometheus metrics at `/metrics`, to authenticated callers and to the same machine. Default: `false`. */
  readonly metrics?: boolean;
  /** Receives a record of every rejected request and every operator action. Default: they go to the log. */
  readonly audit?: Audit;
  /** Requirements for authenticated callers, such as scopes. */
  readonly access?: AccessOptions;
  /** The web origins that can call the agent from a browser. Default: none. */
  readonly cors?: CorsOptions;
  /** How push notifications are delivered: allowed addresses, signatures, retries. */
  readonly push?: PushOptions;
  /** How `file.bytes()` fetches files that a message refers to by URL, and from which addresses. */
  readonly files?: FileOptions;
  /**
   * The agents on other hosts that handlers can call by id: a URL, a URL with credentials, or a client. Default: none; handlers can
   * call public agents by URL.
   *
   * @example
   * peers: { crm: { url: 'https://crm.example.com', auth: process.env.CRM_TOKEN } }
   */
  readonly peers?: PeersOption;
  /**
   * Accepts anonymous callers from anywhere, without `auth`. Nobody can list tasks, but everyone who knows the id of a task can read,
   * answer and cancel it. Default: `false`.
   */
  readonly insecurePublic?: boolean;
  /**
   * The work of this process. `web` accepts requests and leaves the runs to other processes on the same store. `worker` runs tasks and
   * serves only `/healthz`, `/readyz` and `/metrics`. Default: `all`.
   */
  readonly role?: Role;
  /** Continues tasks on hosts that freeze a process as soon as it has responded. Default: off. */
  readonly serverless?: ServerlessOptions;
  /**
   * The clock of tasks: sleeps, expiry, retries, retention. For tests; see `testAgent()` of `tandem-a2a/testing`. A store of your
   * own needs the same clock. Default: the system clock.
   */
  readonly clock?: Clock;
}

const ROLES = ['all', 'web', 'worker'] as const;

/** The work of a process: everything, only requests, or only runs. */
export type Role = (typeof ROLES)[number];

/** Validated options with defaults applied. */
export interface HandlerSettings
  extends Omit<Settings<typeof HANDLER>, 'enforceOutputModes'>, ReturnType<typeof readTogether> {
  /** Set by `serve()` on a loopback address, where no CORS middleware can be in front. See `AnonymousOptions`. */
  readonly rejectCrossSite?: boolean;
}

/** The options of `createHandler()`. */
export const HANDLER = {
  store: objectWith<Store>(['create', 'append', 'read'], 'a store such as memoryStore()'),
  auth: WITH_OTHERS,
  apiKeyEnv: WITH_OTHERS,
  publicUrl: option(readPublicUrl),
  trustProxy: flag(false),
  basePath: option(readPath, ''),
  rpcPaths: WITH_OTHERS,
  versions: WITH_OTHERS,
  bindings: WITH_OTHERS,
  strict: flag(false),
  enforceOutputModes: flag(),
  profile: WITH_OTHERS,
  restStyle: WITH_OTHERS,
  cardForm: WITH_OTHERS,
  streaming: WITH_OTHERS,
  pushNotifications: flag(false),
  stateTransitionHistory: flag(true),
  deduplicateByMessageId: flag(true),
  maxBodyBytes: count({ byDefault: 8 * 2 ** 20 }),
  heartbeatMs: count({ most: MAX_TIMER_MS, byDefault: 15_000 }),
  concurrency: count(),
  retention: group(RETENTION, '{ maxAgeMs: 86_400_000 }'),
  log: objectWith<Log>(['info', 'warn', 'error'], 'an object such as console'),
  limits: WITH_OTHERS,
  extendedCard: WITH_OTHERS,
  cardSigning: WITH_OTHERS,
  tracing: option(readTracing),
  metrics: flag(false),
  audit: callback<Audit>('a function that takes a record'),
  access: WITH_OTHERS,
  cors: WITH_OTHERS,
  push: WITH_OTHERS,
  files: group(FILES, "{ allowHosts: ['files.example.com'] }"),
  peers: WITH_OTHERS,
  insecurePublic: flag(false),
  role: word(...ROLES),
  serverless: WITH_OTHERS,
  clock: objectWith<Clock>(['now', 'callAt'], 'a clock such as fakeClock()'),
} as const satisfies OptionTable<HandlerOptions>;

/**
 * Reads untyped options.
 *
 * @param more The options that only `serve()` has.
 * @throws TypeError that lists every invalid option.
 */
export function readHandlerOptions(what: string, agent: unknown, options: unknown): HandlerSettings;
export function readHandlerOptions<More extends AnyTable>(
  what: string,
  agent: unknown,
  options: unknown,
  more: More,
): HandlerSettings & Settings<More>;
export function readHandlerOptions(what: string, agent: unknown, options: unknown, more?: AnyTable): HandlerSettings {
  for (const each of agentsIn(what, agent))
    if (!isAgent(each)) throw new TypeError(`${what} expects an agent created with agent(), got ${kindOf(each)}`);
  const check = new Check();
  const given = check.options(options);
  const own = readTable(check, given, { ...HANDLER, ...more });
  const settings = { ...own, ...readTogether(check, given, own) };
  check.finish(`Invalid options for ${what}:`);
  return settings;
}

/** Reads the options that depend on others. */
function readTogether(check: Check, given: Readonly<Record<string, unknown>>, own: Settings<typeof HANDLER>) {
  const offer = readOffer(check, given, own.strict);
  const auth = readAuth(check, given);
  const { insecurePublic, log } = own;
  return {
    auth,
    rpcPaths: readRpcPaths(check, given['rpcPaths'], offer),
    offer,
    enforceOutputModes: own.enforceOutputModes ?? own.strict,
    cardForm: readCardForm(check, given, offer),
    ...readStreaming(check, given),
    limits: readLimits(check, given['limits']),
    extendedCard: readExtendedCard(check, given['extendedCard']),
    cardSigning: readCardSigning(check, given['cardSigning'], own.trustProxy && given['publicUrl'] === undefined),
    access: readAccess(check, given['access'], auth !== undefined),
    cors: readCors(check, given['cors'], { auth, insecurePublic, log }),
    push: readPushOptions(check, given['push'] ?? {}),
    peers: readPeers(check, given['peers']),
    ...readServerless(check, given, offer),
  } as const;
}

/** @throws TypeError for an empty list, and for two agents with the same id. */
function agentsIn(what: string, agents: unknown): readonly unknown[] {
  if (!Array.isArray(agents)) return [agents];
  if (agents.length === 0) throw new TypeError(`${what} expects at least one agent, got an empty array`);
  const ids = agents.filter(isAgent).map(({ id }) => id);
  const twice = ids.find((id, i) => ids.indexOf(id) < i);
  if (twice !== undefined) throw new TypeError(`Two agents have the id ${twice}. Give each agent its own id.`);
  return agents;
}

export function isAgent(value: unknown): value is Agent {
  return isObject(value) && typeof value['run'] === 'function' && isObject(value['card']) && isObject(value['limits']);
}

/** Paths are appended to it, so it must not have a query or fragment. */
function readPublicUrl(check: Check, value: unknown): string {
  const url = check.webAddress(value, 'publicUrl');
  if (/[?#]/.test(url)) check.fault('publicUrl', 'must not have a query or fragment');
  return trimEndOf(url, '/');
}

function readStreaming(
  check: Check,
  given: Readonly<Record<string, unknown>>,
): { readonly streaming: boolean; readonly streams: Required<StreamingOptions> | undefined } {
  const { streaming = true } = given;
  if (typeof streaming === 'boolean') return { streaming, streams: undefined };
  if (!isObject(streaming)) {
    check.fault('streaming', `expected true, false or { closeWithWhole: true }, got ${kindOf(streaming)}`);
    return { streaming: true, streams: undefined };
  }
  return { streaming: true, streams: readTable(check, streaming, STREAMING, 'streaming.') };
}

/** A module namespace has no prototype to check, so it is recognised by its members. */
function readTracing(check: Check, value: unknown): OpenTelemetry | false {
  if (value === false) return value;
  const { context, trace } = isObject(value) ? value : {};
  const isWith = isObject(context) && typeof context['with'] === 'function';
  if (!isWith || !isObject(trace) || typeof trace['getTracer'] !== 'function')
    check.fault('tracing', "expected the namespace of import * as api from '@opentelemetry/api', or false");
  return value as OpenTelemetry;
}
