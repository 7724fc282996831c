import { isSecureAddress } from '../../support/loopback.ts';
import { type Check, kindOf } from '../check.ts';
import { RULE_KEYS, checkRules } from './token-rules.ts';
import type { TokenRules } from './verify-jwt.ts';

/** What is known of whoever issues tokens, beside where his keys are. */
export interface IssuerOptions extends TokenRules {
  /** The algorithms that tokens may be signed by; all usual ones with a public key if not set. */
  readonly algorithms?: readonly string[];
  /** How long the issuer may take to answer, 5 s if not set. */
  readonly timeoutMs?: number;
  /** What to fetch his keys with, such as through a proxy. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

/** With a shared secret for an algorithm, the public key of an issuer would be taken for one, and that is public. */
export const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
] as const;

export const ISSUER_KEYS = ['algorithms', 'timeoutMs', 'fetch', ...RULE_KEYS] as const;

const TIMEOUT_MS = 5000;

/** Notes what is wrong with the members of `IssuerOptions`. */
export function checkIssuer(check: Check, given: Readonly<Record<string, unknown>>): void {
  const { algorithms, timeoutMs, fetch: ownFetch } = given;
  const known: readonly unknown[] = ALGORITHMS;
  check.list(algorithms, 'algorithms', 'names', (item, path) => {
    if (!known.includes(item)) check.fault(path, `must be one of ${ALGORITHMS.join(', ')}`);
  });
  if (Array.isArray(algorithms) && algorithms.length === 0) check.fault('algorithms', 'must name one at least');
  if (timeoutMs !== undefined && !(Number.isSafeInteger(timeoutMs) && Number(timeoutMs) > 0)) {
    check.fault('timeoutMs', `must be a number of milliseconds, 1 or more, not ${kindOf(timeoutMs)}`);
  }
  if (ownFetch !== undefined && typeof ownFetch !== 'function') {
    check.fault('fetch', `must be a function, not ${kindOf(ownFetch)}`);
  }
  checkRules(check, given);
}

/** Whoever is between us and the issuer could give us keys of his own. */
export function checkSecure(check: Check, value: unknown, path: string): void {
  const address = check.webAddress(value, path);
  if (!URL.canParse(address)) return;
  if (address.includes('#')) check.fault(path, 'must have no #');
  if (!isSecureAddress(address)) check.fault(path, 'must start with https://, unless it is of this machine');
}

/** What an issuer publishes at an address. @throws Error for the log, if it cannot be had. */
export async function fetchJson(
  url: string,
  { fetch: own = fetch, timeoutMs = TIMEOUT_MS }: IssuerOptions,
): Promise<unknown> {
  // A redirect could lead anywhere.
  const response = await own(url, {
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
    headers: { accept: 'application/json' },
  });
  if (response.status !== 200) throw new Error(`${url} answers with status ${response.status}`);
  return response.json();
}
