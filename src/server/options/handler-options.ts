import { DEFAULT_RETENTION, type Retention } from '../../engine/schedule/retention.ts';
import type { Audit } from '../../observe/audit.ts';
import type { Log } from '../../observe/log.ts';
import type { OpenTelemetry } from '../../observe/opentelemetry.ts';
import type { Store } from '../../store/store.ts';
import { defined } from '../../support/defined.ts';
import type { Clock } from '../../support/time/clock.ts';
import { type Binding, type ProfileName } from '../../wire/offer.ts';
import type { ProtocolVersion } from '../../wire/version.ts';
import type { Agent } from '../../agent/agent.ts';
import { type CardSigningOptions, readCardSigning } from './card-signing-options.ts';
import { type AccessOptions, readAccess } from '../../host/options/access-options.ts';
import { type AuthOption, readAuth } from '../../host/auth/auth-option.ts';
import { Check, isObject, kindOf } from '../../support/check.ts';
import { type CorsOptions, readCors } from '../http/cors.ts';
import type { Limits } from '../../host/limits/limit-settings.ts';
import { readLimits } from '../../host/options/limits-options.ts';
import { type ExtendedCardOption, readExtendedCard } from './extended-card-options.ts';
import { type FileOptions, readFileOptions } from '../../host/options/file-options.ts';
import { type PeersOption, readPeers } from '../../host/options/peer-options.ts';
import { type PushOptions, readPushOptions } from '../../host/options/push-options.ts';
import { readCount, readFlag, readObject, readPath, readWord } from '../../host/options/option-readers.ts';
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
export interface HandlerSettings extends ReturnType<typeof readSettings> {
  /** Set by `serve()` on a loopback address, where no CORS middleware can be in front. See `AnonymousOptions`. */
  readonly rejectCrossSite?: boolean;
}

const KEYS = [
  'store',
  'auth',
  'apiKeyEnv',
  'publicUrl',
  'trustProxy',
  'basePath',
  'rpcPaths',
  'versions',
  'bindings',
  'strict',
  'enforceOutputModes',
  'profile',
  'restStyle',
  'cardForm',
  'streaming',
  'pushNotifications',
  'stateTransitionHistory',
  'deduplicateByMessageId',
  'maxBodyBytes',
  'heartbeatMs',
  'concurrency',
  'retention',
  'log',
  'limits',
  'extendedCard',
  'cardSigning',
  'tracing',
  'metrics',
  'audit',
  'access',
  'cors',
  'push',
  'files',
  'peers',
  'insecurePublic',
  'role',
  'serverless',
  'clock',
] as const satisfies readonly (keyof HandlerOptions)[];

/** Node fires a timer with a longer delay immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Options that only `serve()` has: the key, and a function that reports an invalid value. */
export type MoreOptions = Readonly<Record<string, (check: Check, value: unknown) => void>>;

/**
 * Reads untyped options. The options in `more` are checked, and reading them is left to the caller.
 *
 * @throws TypeError that lists every invalid option.
 */
export function readHandlerOptions(
  what: string,
  agent: unknown,
  options: unknown,
  more: MoreOptions = {},
): HandlerSettings {
  for (const each of agentsIn(what, agent))
    if (!isAgent(each)) throw new TypeError(`${what} expects an agent created with agent(), got ${kindOf(each)}`);
  const check = new Check();
  const given = check.options(options);
  check.keys(given, [...KEYS, ...Object.keys(more)], '');
  for (const [key, look] of Object.entries(more)) if (given[key] !== undefined) look(check, given[key]);
  const settings = readSettings(check, given);
  check.finish(`Invalid options for ${what}:`);
  return settings;
}

function readSettings(check: Check, given: Readonly<Record<string, unknown>>) {
  const offer = readOffer(check, given);
  const auth = readAuth(check, given);
  return {
    store: readObject(check, given, 'store', ['create', 'append', 'read'], 'a store such as memoryStore()') as
      | Store
      | undefined,
    auth,
    publicUrl: readPublicUrl(check, given['publicUrl']),
    trustProxy: readFlag(check, given, 'trustProxy', false),
    basePath: readPath(check, given['basePath'], 'basePath'),
    rpcPaths: readRpcPaths(check, given['rpcPaths'], offer),
    offer,
    enforceOutputModes: readFlag(check, given, 'enforceOutputModes', offer.strict === true),
    cardForm: readCardForm(check, given, offer),
    ...readStreaming(check, given),
    pushNotifications: readFlag(check, given, 'pushNotifications', false),
    stateTransitionHistory: readFlag(check, given, 'stateTransitionHistory', true),
    deduplicateByMessageId: readFlag(check, given, 'deduplicateByMessageId', true),
    maxBodyBytes: readCount(check, given, 'maxBodyBytes') ?? 8 * 2 ** 20,
    heartbeatMs: readCount(check, given, 'heartbeatMs', MAX_TIMER_MS) ?? 15_000,
    concurrency: readCount(check, given, 'concurrency'),
    retention: readRetention(check, given['retention']),
    log: readObject(check, given, 'log', ['info', 'warn', 'error'], 'an object such as console') as Log | undefined,
    limits: readLimits(check, given['limits']),
    extendedCard: readExtendedCard(check, given['extendedCard']),
    cardSigning: readCardSigning(
      check,
      given['cardSigning'],
      given['trustProxy'] === true && given['publicUrl'] === undefined,
    ),
    tracing: readTracing(check, given['tracing']),
    metrics: readFlag(check, given, 'metrics', false),
    audit: readAudit(check, given['audit']),
    access: readAccess(check, given['access'], auth !== undefined),
    cors: readCors(check, given['cors'], {
      auth,
      insecurePublic: given['insecurePublic'] === true,
      log: given['log'] as Log | undefined,
    }),
    push: readPushOptions(check, given['push']),
    files: readFileOptions(check, given['files']),
    peers: readPeers(check, given['peers']),
    insecurePublic: readFlag(check, given, 'insecurePublic', false),
    role: readWord(check, given, 'role', ROLES) ?? ('all' satisfies Role),
    ...readServerless(check, given, offer),
    clock: readObject(check, given, 'clock', ['now', 'callAt'], 'a clock such as fakeClock()') as Clock | undefined,
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
function readPublicUrl(check: Check, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  const url = check.webAddress(value, 'publicUrl');
  if (/[?#]/.test(url)) check.fault('publicUrl', 'must not have a query or fragment');
  return trimEndOf(url, '/');
}

function readRetention(check: Check, value: unknown): Partial<Retention> | undefined {
  if (value === undefined) return undefined;
  const given = check.record(value, 'retention', '{ maxAgeMs: 86_400_000 }') ?? {};
  const known = Object.keys(DEFAULT_RETENTION);
  check.keys(given, known, 'retention.');
  // Every count and age may be 0; the interval between two sweeps may not.
  for (const key of known) check.count(given[key], `retention.${key}`, key === 'everyMs' ? 1 : 0);
  return defined(given);
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
  check.keys(streaming, ['closeWithWhole'] satisfies readonly (keyof StreamingOptions)[], 'streaming.');
  return { streaming: true, streams: { closeWithWhole: readFlag(check, streaming, 'closeWithWhole', false) } };
}

/** A module namespace has no prototype to check, so it is recognised by its members. */
function readTracing(check: Check, value: unknown): OpenTelemetry | false | undefined {
  if (value === undefined || value === false) return value;
  const { context, trace } = isObject(value) ? value : {};
  const isWith = isObject(context) && typeof context['with'] === 'function';
  if (!isWith || !isObject(trace) || typeof trace['getTracer'] !== 'function')
    check.fault('tracing', "expected the namespace of import * as api from '@opentelemetry/api', or false");
  return value as OpenTelemetry;
}

function readAudit(check: Check, value: unknown): Audit | undefined {
  if (value !== undefined && typeof value !== 'function')
    check.fault('audit', `expected a function that takes a record, got ${kindOf(value)}`);
  return value as Audit | undefined;
}
