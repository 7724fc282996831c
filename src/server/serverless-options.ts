import { type Offer, PROFILE_PATHS } from '../wire/offer.ts';
import { checkRange } from './address-options.ts';
import { environmentVariable } from './auth/hosted.ts';
import { type Check, kindOf } from './check.ts';
import type { WaitUntil } from './http.ts';
import { trimEndOf } from '../support/trim-end.ts';

/** How tasks go on where a process is frozen as soon as it has answered. Every member has a default. */
export interface ServerlessOptions {
  /**
   * Signs the requests that the agent makes to itself; `A2A_SECRET` of the environment if not set. Several: the first signs,
   * all are believed, for rotation.
   */
  readonly secret?: string | readonly string[];
  /** The token of whatever calls `/_tandem/sweep` now and then; `CRON_SECRET` of the environment if not set. */
  readonly cronSecret?: string;
  /** Where the agent reaches itself; `publicUrl` if not set. */
  readonly url?: string;
  /** Keeps the process awake until something is done: `after` of Next, for one. The host of a request may have it, too. */
  readonly after?: WaitUntil;
  /** Makes the requests to itself, for hosts that have a way of their own; the usual `fetch` if not set. */
  readonly fetch?: (request: Request) => Promise<Response>;
  /** How long one request may work, less than the host gives it; 18 s if not set. */
  readonly runMs?: number;
  /** How long a request to itself is valid, 5 minutes if not set. */
  readonly tokenMs?: number;
  /** How long an answer waits for a request to itself to be on its way, 250 ms if not set. */
  readonly headStartMs?: number;
  /** Tasks that one sweep takes up, 50 if not set. */
  readonly sweepLimit?: number;
  /** How long a task may be silent before asking after it is a reason to go on with it, 10 s if not set. */
  readonly repairMs?: number;
}

export interface ServerlessLimits {
  readonly runMs: number;
  readonly tokenMs: number;
  readonly headStartMs: number;
  readonly sweepLimit: number;
  readonly repairMs: number;
}

/** Options that were checked, with the defaults in place. */
export interface ServerlessSettings extends ServerlessLimits {
  readonly secrets: readonly string[];
  readonly cronSecret: string | undefined;
  readonly url: string | undefined;
  readonly after: WaitUntil | undefined;
  readonly fetch: ServerlessOptions['fetch'];
}

/** Where an agent talks to itself. No tenant, and no path of JSON-RPC, is called so. */
const OWN_PREFIX = '/_tandem';
export const RUN_PATH = `${OWN_PREFIX}/run`;
export const SWEEP_PATH = `${OWN_PREFIX}/sweep`;
/** Where an agent with the profile `agent-native` talks to itself, as agents of that system do. */
export const PROCESS_TASK_PATH = `${PROFILE_PATHS['agent-native']}/_process-task`;

/** Where an agent asks itself to run a task. */
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

/** The least that makes sense, and the most. */
const RANGES: Readonly<Record<keyof ServerlessLimits, readonly [least: number, most: number]>> = {
  runMs: [1, 24 * 60 * 60_000],
  tokenMs: [1000, 60 * 60_000],
  headStartMs: [0, 60_000],
  sweepLimit: [1, 10_000],
  repairMs: [1, 24 * 60 * 60_000],
};

const LIMIT_KEYS = Object.keys(RANGES) as readonly (keyof ServerlessLimits)[];
const KEYS = ['secret', 'cronSecret', 'url', 'after', 'fetch', ...LIMIT_KEYS];

/** What is shorter can be found by trying. */
const MIN_SECRET_BYTES = 16;

/** @param others The options beside it. */
export function readServerless(
  check: Check,
  value: unknown,
  others: Readonly<Record<string, unknown>>,
): ServerlessSettings | undefined {
  if (value === undefined) return undefined;
  const { rpcPaths, role = 'all' } = others;
  if (role !== 'all') check.fault('serverless', 'is for processes that do everything: leave role out');
  const given = check.record(value, 'serverless', '{ secret: process.env.A2A_SECRET }') ?? {};
  check.keys(given, KEYS, 'serverless.');
  for (const key of LIMIT_KEYS) checkRange(check, given[key], `serverless.${key}`, ...RANGES[key]);
  for (const key of ['after', 'fetch'])
    if (given[key] !== undefined && typeof given[key] !== 'function')
      check.fault(`serverless.${key}`, `must be a function, not ${kindOf(given[key])}`);
  if (Array.isArray(rpcPaths) && rpcPaths.some(isOwn))
    check.fault('rpcPaths', `must not be below ${OWN_PREFIX}, where the agent talks to itself`);
  const url = given['url'] === undefined ? undefined : check.webAddress(given['url'], 'serverless.url');
  if (url !== undefined && /[?#]/.test(url)) check.fault('serverless.url', 'must end with its host or path');
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
  if (all.length === 0) check.fault('serverless.secret', 'must name one, or be left out for A2A_SECRET');
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

/** A blank secret is none. */
function fromEnvironment(check: Check, name: string, path: string): string | undefined {
  const value = environmentVariable(name) ?? '';
  if (value.trim() === '') return undefined;
  if (isShort(value)) check.fault(path, `${name} of the environment must have at least ${MIN_SECRET_BYTES} bytes`);
  return value;
}
