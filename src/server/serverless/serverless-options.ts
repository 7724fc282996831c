import type { Engine } from '../../engine/engine.ts';
import type { Continuation } from '../../host/continuation.ts';
import type { Log } from '../../observe/log.ts';
import { type Offer, PROFILE_PATHS } from '../../wire/offer.ts';
import { checkRange } from '../../host/options/address-options.ts';
import { environmentVariable } from '../../host/auth/hosted.ts';
import type { Check } from '../../support/check.ts';
import type { WaitUntil } from '../../host/http.ts';
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

export interface ServerlessLimits {
  readonly runMs: number;
  readonly tokenMs: number;
  readonly headStartMs: number;
  readonly sweepLimit: number;
  readonly repairMs: number;
}

/** Validated options with defaults applied. */
export interface ServerlessSettings extends ServerlessLimits {
  readonly secrets: readonly string[];
  readonly cronSecret: string | undefined;
  readonly url: string | undefined;
  readonly after: WaitUntil | undefined;
  readonly fetch: ServerlessOptions['fetch'];
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

export const DEFAULT_SERVERLESS: ServerlessLimits = Object.freeze({
  runMs: 18_000,
  tokenMs: 5 * 60_000,
  headStartMs: 250,
  sweepLimit: 50,
  repairMs: 10_000,
});

/** The smallest and the largest allowed values. */
const RANGES: Readonly<Record<keyof ServerlessLimits, readonly [least: number, most: number]>> = {
  runMs: [1, 24 * 60 * 60_000],
  tokenMs: [1000, 60 * 60_000],
  headStartMs: [0, 60_000],
  sweepLimit: [1, 10_000],
  repairMs: [1, 24 * 60 * 60_000],
};

const LIMIT_KEYS = Object.keys(RANGES) as readonly (keyof ServerlessLimits)[];
const KEYS = ['secret', 'cronSecret', 'url', 'after', 'fetch', ...LIMIT_KEYS];

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
  check.keys(given, KEYS, 'serverless.');
  for (const key of LIMIT_KEYS) checkRange(check, given[key], `serverless.${key}`, ...RANGES[key]);
  for (const key of ['after', 'fetch']) check.callback(given[key], `serverless.${key}`);
  if (Array.isArray(rpcPaths) && rpcPaths.some(isOwn))
    check.fault('rpcPaths', `must not be below ${OWN_PREFIX}, which is reserved for requests of the agent to itself`);
  const url = given['url'] === undefined ? undefined : check.webAddress(given['url'], 'serverless.url');
  if (url !== undefined && /[?#]/.test(url)) check.fault('serverless.url', 'must not have a query or fragment');
  const limits = Object.fromEntries(LIMIT_KEYS.map((key) => [key, given[key] ?? DEFAULT_SERVERLESS[key]]));
  return {
    ...(limits as unknown as ServerlessLimits),
    secrets: readSecrets(check, given['secret']),
    cronSecret:
      readSecret(check, given['cronSecret'], 'serverless.cronSecret') ??
      fromEnvironment(check, 'CRON_SECRET', 'serverless.cronSecret'),
    url: url === undefined ? undefined : trimEndOf(url, '/'),
    after: given['after'] as WaitUntil | undefined,
    fetch: given['fetch'] as ServerlessOptions['fetch'],
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
