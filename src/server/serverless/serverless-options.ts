import type { Engine } from '../../engine/engine.ts';
import type { Continuation } from '../../host/continuation.ts';
import type { Log } from '../../observe/log.ts';
import { type Offer, PROFILE_PATHS } from '../../wire/offer.ts';
import { environmentVariable } from '../../host/auth/hosted.ts';
import type { Check } from '../../support/check.ts';
import type { WaitUntil } from '../../host/http.ts';
import {
  callback,
  count,
  defaultsOf,
  option,
  type OptionTable,
  readTable,
  type Settings,
  WITH_OTHERS,
} from '../../support/options.ts';
import { trimEndOf } from '../../support/trim-end.ts';

/** How tasks continue on hosts that freeze a process as soon as it has responded. All members are optional. */
export interface ServerlessOptions {
  /**
   * Signs the requests that the agent sends to itself. At least 16 bytes. With several secrets the first one signs and all are
   * accepted, for rotation. Default: the environment variable `A2A_SECRET`.
   */
  readonly secret?: string | readonly string[];
  /**
   * The bearer token of the scheduler that calls `/_tandem/sweep`. At least 16 bytes. Default: the environment variable `CRON_SECRET`.
   */
  readonly cronSecret?: string;
  /** The URL at which the agent reaches itself. Default: `publicUrl`. */
  readonly url?: string;
  /**
   * Keeps the process awake until a promise is settled, such as `after` of Next.js. Default: `waitUntil` of the arguments of
   * `handler.fetch`, if the host passes one.
   */
  readonly after?: WaitUntil;
  /** Sends the requests to itself, for hosts with a service binding. Default: the global `fetch`. */
  readonly fetch?: (request: Request) => Promise<Response>;
  /** How long one request may work on a task, 1 ms to 24 h. Set it below the limit of the host. Default: 18 s. */
  readonly runMs?: number;
  /** How long the signature of a request to itself is valid, 1 s to 1 h. Default: 5 min. */
  readonly tokenMs?: number;
  /** How long a response waits for a request to itself to be sent, 0 to 60 s. Default: 250 ms. */
  readonly headStartMs?: number;
  /** The number of tasks that one sweep resumes, 1 to 10,000. Default: 50. */
  readonly sweepLimit?: number;
  /** A request for a task resumes it if its status has not changed for this time, 1 ms to 24 h. Default: 10 s. */
  readonly repairMs?: number;
}

/** Validated options with defaults applied. */
export interface ServerlessSettings extends Settings<typeof SERVERLESS> {
  readonly secrets: readonly string[];
  readonly cronSecret: string | undefined;
}

/** The facts that a process needs to continue tasks. */
export interface ContinuationParts {
  readonly publicUrl: string | undefined;
  /** The path at which a process accepts requests to run a task. */
  readonly path: string;
  readonly log: Log;
}

/** Continues tasks with these settings. Loaded late, because most hosts do not freeze processes. */
export function continuationBy(
  settings: ServerlessSettings | undefined,
  parts: ContinuationParts,
): ((engine: Engine) => Promise<Continuation>) | undefined {
  if (settings === undefined) return undefined;
  return async (engine) => {
    const { Serverless } = await import('./serverless.ts');
    return new Serverless({ ...parts, engine, settings });
  };
}

/** The prefix of requests of the agent to itself. No tenant and no JSON-RPC path can have this name. */
const OWN_PREFIX = '/_tandem';
export const RUN_PATH = `${OWN_PREFIX}/run`;
export const SWEEP_PATH = `${OWN_PREFIX}/sweep`;
/** The path for requests of the agent to itself with the profile `agent-native`, as in that system. */
export const PROCESS_TASK_PATH = `${PROFILE_PATHS['agent-native']}/_process-task`;

/** The path at which an agent asks itself to run a task. */
export function runPathOf({ profiles }: Pick<Offer, 'profiles'>): string {
  return profiles?.includes('agent-native') === true ? PROCESS_TASK_PATH : RUN_PATH;
}

const DAY_MS = 24 * 60 * 60_000;

/** The options of `serverless`. */
export const SERVERLESS = {
  secret: WITH_OTHERS,
  cronSecret: WITH_OTHERS,
  url: option((check, value, path) => {
    const url = check.webAddress(value, path);
    if (/[?#]/.test(url)) check.fault(path, 'must not have a query or fragment');
    return trimEndOf(url, '/');
  }),
  after: callback<WaitUntil>(),
  fetch: callback<NonNullable<ServerlessOptions['fetch']>>(),
  runMs: count({ most: DAY_MS, byDefault: 18_000 }),
  tokenMs: count({ least: 1000, most: 60 * 60_000, byDefault: 5 * 60_000 }),
  headStartMs: count({ least: 0, most: 60_000, byDefault: 250 }),
  sweepLimit: count({ most: 10_000, byDefault: 50 }),
  repairMs: count({ most: DAY_MS, byDefault: 10_000 }),
} as const satisfies OptionTable<ServerlessOptions>;

export const DEFAULT_SERVERLESS = defaultsOf(SERVERLESS);

/** Shorter secrets can be guessed. */
const MIN_SECRET_BYTES = 16;

/** The settings, and the paths of requests of the process to itself; none if it makes none. */
export function readServerless(
  check: Check,
  given: Readonly<Record<string, unknown>>,
  offer: Pick<Offer, 'profiles'>,
): { readonly serverless: ServerlessSettings | undefined; readonly selfPaths: readonly string[] } {
  const serverless = given['serverless'] === undefined ? undefined : readSettings(check, given['serverless'], given);
  return { serverless, selfPaths: serverless === undefined ? [] : [RUN_PATH, runPathOf(offer), SWEEP_PATH] };
}

function readSettings(
  check: Check,
  value: unknown,
  { rpcPaths, role = 'all' }: Readonly<Record<string, unknown>>,
): ServerlessSettings {
  if (role !== 'all') check.fault('serverless', 'requires role "all": leave role out');
  const given = check.record(value, 'serverless', '{ secret: process.env.A2A_SECRET }') ?? {};
  const settings = readTable(check, given, SERVERLESS, 'serverless.');
  if (Array.isArray(rpcPaths) && rpcPaths.some(isOwn))
    check.fault('rpcPaths', `must not be below ${OWN_PREFIX}, which is reserved for requests of the agent to itself`);
  return {
    ...settings,
    secrets: readSecrets(check, given['secret']),
    cronSecret:
      readSecret(check, given['cronSecret'], 'serverless.cronSecret') ??
      fromEnvironment(check, 'CRON_SECRET', 'serverless.cronSecret'),
  };
}

function isOwn(path: unknown): boolean {
  return typeof path === 'string' && (path === OWN_PREFIX || path.startsWith(`${OWN_PREFIX}/`));
}

function readSecrets(check: Check, value: unknown): readonly string[] {
  if (value === undefined) {
    const usual = fromEnvironment(check, 'A2A_SECRET', 'serverless.secret');
    return usual === undefined ? [] : [usual];
  }
  const all: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (all.length === 0) check.fault('serverless.secret', 'must not be empty; leave it out to use A2A_SECRET');
  return all.map((secret) => readSecret(check, secret ?? null, 'serverless.secret') ?? '');
}

function readSecret(check: Check, value: unknown, path: string): string | undefined {
  if (value === undefined) return undefined;
  const secret = check.text(value, path);
  if (secret !== '' && isShort(secret)) check.fault(path, `must have at least ${MIN_SECRET_BYTES} bytes`);
  return secret;
}

function isShort(secret: string): boolean {
  return new TextEncoder().encode(secret).length < MIN_SECRET_BYTES;
}

/** A blank variable counts as not set. */
function fromEnvironment(check: Check, name: string, path: string): string | undefined {
  const value = environmentVariable(name) ?? '';
  if (value.trim() === '') return undefined;
  if (isShort(value)) check.fault(path, `environment variable ${name} must have at least ${MIN_SECRET_BYTES} bytes`);
  return value;
}
