import { DEFAULT_RETENTION, type Retention } from '../engine/retention.ts';
import type { Audit } from '../observe/audit.ts';
import type { Log } from '../observe/log.ts';
import type { OpenTelemetry } from '../observe/opentelemetry.ts';
import type { Store } from '../store/store.ts';
import { defined } from '../support/defined.ts';
import type { CardForm } from '../wire/card-forms.ts';
import { PROTOCOL_VERSIONS, type ProtocolVersion } from '../wire/dialect.ts';
import {
  type Binding,
  BINDINGS,
  hasBinding,
  type Offer,
  PROFILE_NAMES,
  PROFILE_PATHS,
  type ProfileName,
} from '../wire/offer.ts';
import type { Agent } from './agent.ts';
import { type CardSigningKey, type CardSigningOptions, readCardSigning } from './card-signing-options.ts';
import { type AccessOptions, type AccessSettings, readAccess } from './access-options.ts';
import type { Authenticator } from './auth/authenticator.ts';
import { type AuthOption, readAuthOption } from './auth/auth-option.ts';
import { withEnvironmentAuth } from './auth/environment-auth.ts';
import { Check, isObject, kindOf } from './check.ts';
import { type Cors, type CorsOptions, readCors } from './cors.ts';
import type { Limits, LimitSettings } from './limits/limit-settings.ts';
import { readLimits } from './limits-options.ts';
import { type ExtendedCardOption, type ExtendedCardSetting, readExtendedCard } from './extended-card-options.ts';
import { type ObserveSettings, readObserve } from './observe-options.ts';
import { type FileOptions, readFileOptions } from './file-options.ts';
import { type PushOptions, readPushOptions } from './push-options.ts';
import { readServerless, type ServerlessOptions, type ServerlessSettings } from './serverless-options.ts';
import { trimEndOf } from '../support/trim-end.ts';

/** How an agent streams. */
export interface StreamingOptions {
  /**
   * End each artifact that came in chunks with one event that has all of it (`append: false`, `lastChunk: true`), as agents of
   * Google ADK do, for clients that keep only the last chunk; `false` if not set.
   */
  readonly closeWithWhole?: boolean;
}

/** How an agent is served. Every member has a default that is right for most. */
export interface HandlerOptions {
  /** Where tasks are kept. Without one they are kept in memory, and lost with it. */
  readonly store?: Store;
  /**
   * How callers authenticate, one way or several. If not set: JWTs signed with `A2A_SECRET` if the environment has it and
   * `insecurePublic` is not set, else every caller is anonymous. `false`: every caller is anonymous in any case.
   */
  readonly auth?: AuthOption | readonly AuthOption[] | false;
  /**
   * The name of an environment variable, such as `A2A_API_KEY`, whose value callers may send as a bearer token. They are all one
   * caller, whose id is that name.
   */
  readonly apiKeyEnv?: string;
  /** The address of the handler as the world sees it, for the card; taken from each request if not set. */
  readonly publicUrl?: string;
  /** Believe `X-Forwarded-Host` and `-Proto`: only behind a proxy of your own that sets them. */
  readonly trustProxy?: boolean;
  /** What the paths of requests begin with where the handler is mounted, if the mount leaves it there. */
  readonly basePath?: string;
  /**
   * Where JSON-RPC is answered, `/a2a` and `/` if not set. The card names the first. With the profile `agent-native` the order is
   * `/`, `/a2a`: its clients take an address that ends in `/a2a` for their own endpoint.
   */
  readonly rpcPaths?: readonly string[];
  /** The versions of the protocol that are answered; all of them if not set. */
  readonly versions?: readonly ProtocolVersion[];
  /** The bindings that are answered and listed on the card, the preferred one first; both if not set. */
  readonly bindings?: readonly Binding[];
  /**
   * Follow the protocol to the letter. Requests that deviate from their version are rejected instead of accepted with a
   * warning in the log, a 1.0 call must state its version (1.0 §3.6.2), and before 1.0 a canceled task cannot be canceled again.
   * Includes `enforceOutputModes`.
   */
  readonly strict?: boolean;
  /**
   * Reject a message whose `acceptedOutputModes` has none of the output types of the agent, before the handler runs; `false`
   * if not set. Either way the handler has the list as `ctx.acceptedOutputModes`, and everything that it outputs is delivered.
   */
  readonly enforceOutputModes?: boolean;
  /**
   * Serve the peers of a system with a dialect of its own, or of several: each profile has its own path and card, where the agent
   * responds in the form of that system. All other paths stay standard A2A.
   */
  readonly profile?: ProfileName | readonly ProfileName[];
  /** How to answer REST requests of 0.3 that show no style of their own, `proto` if not set. */
  readonly restStyle?: 'proto' | 'kind' | 'kind-bare';
  /** The card for whoever does not say his version; one that readers of 1.0 and 0.3 both understand if not set. */
  readonly cardForm?: 'superset' | '1.0' | '0.3';
  /** Whether the agent streams; it does if not set. An object says how. */
  readonly streaming?: boolean | StreamingOptions;
  /** Whether push configurations are taken, and told of their tasks; not if not set. */
  readonly pushNotifications?: boolean;
  /**
   * Whether callers can get the state changes of their tasks: the card declares the extension `urn:tandem-a2a:transitions:1`;
   * `true` if not set.
   */
  readonly stateTransitionHistory?: boolean;
  /**
   * Whether a message of an authenticated caller that comes again with the same `messageId`, content, task and context is
   * recognised and not done again; it is if not set. A repeated `Idempotency-Key` is always recognised.
   */
  readonly deduplicateByMessageId?: boolean;
  /** The largest body of a request, 8 MiB if not set. */
  readonly maxBodyBytes?: number;
  /** How often a quiet stream says that it is alive, 15 s if not set. */
  readonly heartbeatMs?: number;
  /** How long finished tasks are kept. */
  readonly retention?: Partial<Retention>;
  /** Where to tell what callers must not see; warnings and errors go to the console if not set. */
  readonly log?: Log;
  /** How much may be asked: requests, streams, sizes. */
  readonly limits?: Partial<Limits>;
  /** A card of their own for known callers; there is none without `auth`. */
  readonly extendedCard?: ExtendedCardOption;
  /** The keys that the cards are signed with. */
  readonly cardSigning?: CardSigningOptions;
  /**
   * `import * as api from '@opentelemetry/api'`, to make spans. Without it the traces of callers are gone on with, but
   * nothing is told of them; `false`: not even that.
   */
  readonly tracing?: OpenTelemetry | false;
  /** Counts what happens, and shows it at `/metrics` to this machine or to callers with credentials; not if not set. */
  readonly metrics?: boolean;
  /** Takes a record of every refusal and of every act of an operator; they go to the log if not set. */
  readonly audit?: Audit;
  /** What callers need beyond being known. */
  readonly access?: AccessOptions;
  /** Which web pages of other origins may call; none if not set. */
  readonly cors?: CorsOptions;
  /** How push notifications are delivered: which addresses may be told, how it is signed, how often it is tried. */
  readonly push?: PushOptions;
  /** How files are fetched that messages only name by their address, and where from. */
  readonly files?: FileOptions;
  /**
   * Let everybody call who can reach the agent, without `auth`: nobody may list tasks, and whoever knows the id of one may
   * have it.
   */
  readonly insecurePublic?: boolean;
  /**
   * What this process does, all of it if not set. `web` takes calls and leaves the work to others on the same store;
   * `worker` does it, and answers nobody but those who ask after its health.
   */
  readonly role?: Role;
  /** For hosts that freeze a process as soon as it has answered: how tasks go on after that. */
  readonly serverless?: ServerlessOptions;
}

const ROLES = ['all', 'web', 'worker'] as const;

export type Role = (typeof ROLES)[number];

/** Options that were checked, with the defaults in place. */
export interface HandlerSettings extends ObserveSettings {
  readonly store: Store | undefined;
  readonly auth: readonly Authenticator[] | undefined;
  readonly publicUrl: string | undefined;
  readonly trustProxy: boolean;
  readonly basePath: string;
  readonly rpcPaths: readonly [string, ...string[]];
  readonly offer: Offer;
  readonly cardForm: CardForm;
  readonly enforceOutputModes: boolean;
  readonly streaming: boolean;
  readonly streams: Required<StreamingOptions> | undefined;
  readonly pushNotifications: boolean;
  readonly stateTransitionHistory: boolean;
  readonly deduplicateByMessageId: boolean;
  readonly maxBodyBytes: number;
  readonly heartbeatMs: number;
  readonly retention: Partial<Retention> | undefined;
  readonly log: Log | undefined;
  readonly limits: LimitSettings;
  readonly extendedCard: ExtendedCardSetting | undefined;
  readonly cardSigning: readonly CardSigningKey[] | undefined;
  readonly access: AccessSettings | undefined;
  readonly cors: Cors | undefined;
  readonly push: PushOptions | undefined;
  readonly files: FileOptions | undefined;
  readonly insecurePublic: boolean;
  readonly role: Role;
  readonly serverless: ServerlessSettings | undefined;
  /** Set by `serve` on this machine, where no CORS middleware can be in front: see `AnonymousOptions`. */
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
  'insecurePublic',
  'role',
  'serverless',
] as const satisfies readonly (keyof HandlerOptions)[];

/** A timer that should wait longer does not wait at all. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Options that only one way of serving has: the key, and what notes a wrong value. */
export type MoreOptions = Readonly<Record<string, (check: Check, value: unknown) => void>>;

/**
 * Reads options as somebody wrote them; `more` are checked and left to the caller.
 *
 * @throws TypeError that names everything that is wrong.
 */
export function readHandlerOptions(
  what: string,
  agent: unknown,
  options: unknown,
  more: MoreOptions = {},
): HandlerSettings {
  if (!isAgent(agent)) throw new TypeError(`${what} takes what agent() makes, not ${kindOf(agent)}`);
  const check = new Check();
  const given = isObject(options) ? options : {};
  if (!isObject(options)) check.fault('options', `must be an object, not ${kindOf(options)}`);
  check.keys(given, [...KEYS, ...Object.keys(more)], '');
  for (const [key, look] of Object.entries(more)) if (given[key] !== undefined) look(check, given[key]);
  const offer = readOffer(check, given);
  const auth = withEnvironmentAuth(check, given, readAuth(check, given['auth']));
  const settings = {
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
    retention: readRetention(check, given['retention']),
    log: readObject(check, given, 'log', ['info', 'warn', 'error'], 'an object like console') as Log | undefined,
    limits: readLimits(check, given['limits']),
    extendedCard: readExtendedCard(check, given['extendedCard']),
    cardSigning: readCardSigning(
      check,
      given['cardSigning'],
      given['trustProxy'] === true && given['publicUrl'] === undefined,
    ),
    ...readObserve(check, given),
    access: readAccess(check, given['access'], auth !== undefined),
    cors: readCors(check, given['cors'], {
      auth,
      insecurePublic: given['insecurePublic'] === true,
      log: given['log'] as Log | undefined,
    }),
    push: readPushOptions(check, given['push']),
    files: readFileOptions(check, given['files']),
    insecurePublic: readFlag(check, given, 'insecurePublic', false),
    role: readWord(check, given, 'role', ROLES) ?? 'all',
    serverless: readServerless(check, given['serverless'], given),
  } as const;
  check.finish(`${what} cannot use these options:`);
  return settings;
}

export function isAgent(value: unknown): value is Agent {
  return isObject(value) && typeof value['run'] === 'function' && isObject(value['card']) && isObject(value['limits']);
}

function readOffer(check: Check, given: Readonly<Record<string, unknown>>): Offer {
  const versions = check.list(given['versions'], 'versions', 'versions', (item, path): ProtocolVersion => {
    const known = PROTOCOL_VERSIONS.find((version) => version === item);
    if (known === undefined) check.fault(path, `must be one of ${PROTOCOL_VERSIONS.join(', ')}`);
    return known ?? '1.0';
  });
  refuseEmpty(check, given['versions'], 'versions');
  const offered = versions.length > 0 ? versions : PROTOCOL_VERSIONS;
  const bindings = readBindings(check, given['bindings'], offered);
  const profiles = readProfiles(check, given);
  const restStyle = readWord(check, given, 'restStyle', ['proto', 'kind', 'kind-bare']);
  return {
    versions: offered,
    ...(bindings !== undefined && { bindings }),
    strict: readFlag(check, given, 'strict', false),
    ...(profiles.length > 0 && { profiles }),
    ...(restStyle !== undefined && { restStyle }),
  };
}

function readProfiles(check: Check, given: Readonly<Record<string, unknown>>): readonly ProfileName[] {
  const value = given['profile'];
  if (!Array.isArray(value)) {
    const profile = readWord(check, given, 'profile', PROFILE_NAMES);
    return profile === undefined ? [] : [profile];
  }
  refuseEmpty(check, value, 'profile');
  const names = value.flatMap((_, index) => readWord(check, value, index, PROFILE_NAMES, `profile[${index}]`) ?? []);
  return [...new Set(names)];
}

/** An older version may have none of the bindings; without any version that has one there would be nothing to answer. */
function readBindings(
  check: Check,
  value: unknown,
  versions: readonly ProtocolVersion[],
): readonly Binding[] | undefined {
  if (value === undefined) return undefined;
  refuseEmpty(check, value, 'bindings');
  const bindings = check.list(value, 'bindings', 'bindings', (item, path): Binding => {
    const known = BINDINGS.find((binding) => binding === item);
    if (item === 'GRPC') check.fault(path, 'is GRPC, which this version of tandem-a2a does not serve');
    else if (known === undefined) check.fault(path, `must be one of ${BINDINGS.join(', ')}`);
    return known ?? 'JSONRPC';
  });
  const isOffered = bindings.some((binding) => versions.some((version) => hasBinding(version, binding)));
  if (bindings.length > 0 && !isOffered) {
    check.fault('bindings', `must have JSONRPC, because versions has only ${versions.join(', ')}`);
  }
  return [...new Set(bindings)];
}

/** None at all would mean nobody, which nobody means. */
function readAuth(check: Check, value: unknown): readonly Authenticator[] | undefined {
  if (value === undefined || value === false) return undefined;
  const all: readonly unknown[] = Array.isArray(value) ? value : [value];
  refuseEmpty(check, value, 'auth');
  return all.map((each, index) => readAuthOption(check, each, Array.isArray(value) ? `auth[${index}]` : 'auth'));
}

/** A card of a version that is not answered would list nothing that its readers can call. */
function readCardForm(check: Check, given: Readonly<Record<string, unknown>>, { versions }: Offer): CardForm {
  const form = readWord(check, given, 'cardForm', ['superset', '1.0', '0.3']) ?? 'superset';
  if (form !== 'superset' && !versions.includes(form)) {
    check.fault('cardForm', `must be of a version that is answered, and versions has no "${form}"`);
  }
  return form;
}

/** Who wants nothing answered has no use for a server; he has probably lost what he meant to name. */
function refuseEmpty(check: Check, value: unknown, path: string): void {
  if (Array.isArray(value) && value.length === 0) check.fault(path, 'must name one, or be left out for the usual ones');
}

/** Paths are put after it, so that it must end with one itself. */
function readPublicUrl(check: Check, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  const url = check.webAddress(value, 'publicUrl');
  if (/[?#]/.test(url)) check.fault('publicUrl', 'must end with its host or path, without a query');
  return trimEndOf(url, '/');
}

function readRpcPaths(check: Check, value: unknown, { profiles = [] }: Offer): readonly [string, ...string[]] {
  const paths = check.list(value, 'rpcPaths', 'paths', (item, path) => readPath(check, item, path) || '/');
  refuseEmpty(check, value, 'rpcPaths');
  for (const profile of profiles) {
    const own = PROFILE_PATHS[profile];
    // Below its path a profile has its card, and routes of its own: an endpoint there would shadow them.
    for (const path of paths.filter((each) => each === own || each.startsWith(`${own}/`)))
      check.fault('rpcPaths', `must not have ${path}, which belongs to the profile ${profile}`);
  }
  const usual = profiles.includes('agent-native') ? ['/', '/a2a'] : ['/a2a', '/'];
  const [first = '/a2a', ...others] = paths.length > 0 ? paths : usual;
  return [first, ...others];
}

/** Without a slash at its end; the root is empty. */
function readPath(check: Check, value: unknown, path: string): string {
  if (value === undefined) return '';
  if (typeof value === 'string' && /^\/[^?#\s]*$/.test(value)) return trimEndOf(value, '/');
  check.fault(path, 'must be a path such as "/a2a"');
  return '';
}

/** What is not ours can only be known by what it can do. */
function readObject(
  check: Check,
  given: Readonly<Record<string, unknown>>,
  key: string,
  methods: readonly string[],
  like: string,
): unknown {
  const value = given[key];
  if (value === undefined) return undefined;
  const can = (method: string): boolean => typeof (value as Record<string, unknown>)[method] === 'function';
  if (typeof value !== 'object' || value === null) check.fault(key, `must be ${like}, not ${kindOf(value)}`);
  else if (!methods.every(can)) check.fault(key, `must be ${like}, with ${methods.join(', ')}`);
  return value;
}

function readRetention(check: Check, value: unknown): Partial<Retention> | undefined {
  if (value === undefined) return undefined;
  const given = check.record(value, 'retention', '{ maxAgeMs: 86_400_000 }') ?? {};
  const known = Object.keys(DEFAULT_RETENTION);
  check.keys(given, known, 'retention.');
  for (const key of known) {
    // No events may be kept, and no tasks; only the time between two looks must be one.
    const isFit = given[key] === undefined || (Number.isSafeInteger(given[key]) && Number(given[key]) >= 0);
    const wrong = !isFit || (key === 'everyMs' && given[key] === 0);
    if (wrong) check.fault(`retention.${key}`, `must be a whole number, not ${kindOf(given[key])}`);
  }
  return defined(given);
}

function readStreaming(
  check: Check,
  given: Readonly<Record<string, unknown>>,
): Pick<HandlerSettings, 'streaming' | 'streams'> {
  const { streaming = true } = given;
  if (typeof streaming === 'boolean') return { streaming, streams: undefined };
  if (!isObject(streaming)) {
    check.fault('streaming', `must be true, false or { closeWithWhole: true }, not ${kindOf(streaming)}`);
    return { streaming: true, streams: undefined };
  }
  check.keys(streaming, ['closeWithWhole'] satisfies readonly (keyof StreamingOptions)[], 'streaming.');
  return { streaming: true, streams: { closeWithWhole: readFlag(check, streaming, 'closeWithWhole', false) } };
}

function readFlag(check: Check, given: Readonly<Record<string, unknown>>, key: string, byDefault: boolean): boolean {
  const value = given[key];
  if (value === undefined) return byDefault;
  if (typeof value !== 'boolean') check.fault(key, `must be true or false, not ${kindOf(value)}`);
  return value === true;
}

function readCount(
  check: Check,
  given: Readonly<Record<string, unknown>>,
  key: string,
  most = Number.POSITIVE_INFINITY,
): number | undefined {
  const value = given[key];
  if (value === undefined) return undefined;
  if (Number.isSafeInteger(value) && Number(value) > 0 && Number(value) <= most) return Number(value);
  const range = most === Number.POSITIVE_INFINITY ? ', 1 or more,' : ` from 1 to ${most},`;
  check.fault(key, `must be a whole number${range} not ${kindOf(value)}`);
  return undefined;
}

function readWord<T extends string, K extends string | number>(
  check: Check,
  given: Readonly<Record<K, unknown>>,
  key: K,
  words: readonly T[],
  path = String(key),
): T | undefined {
  const value = given[key];
  const known = words.find((word) => word === value);
  if (value !== undefined && known === undefined) {
    check.fault(path, `must be ${words.map((word) => JSON.stringify(word)).join(' or ')}`);
  }
  return known;
}
