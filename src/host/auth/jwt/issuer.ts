import { isSecureAddress } from '../../../support/net/loopback.ts';
import { type Check, kindOf } from '../../../support/check.ts';
import { RULE_KEYS, checkRules, type TokenRules } from './verify-jwt.ts';

/** Options that `jwks()` and `oidc()` have in common. */
export interface IssuerOptions extends TokenRules {
  /** The accepted signature algorithms. Default: RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512, EdDSA, Ed25519. */
  readonly algorithms?: readonly string[];
  /** The time limit for a request to the issuer, in milliseconds. Default: 5 s. */
  readonly timeoutMs?: number;
  /** Fetches the keys, for example through a proxy. Default: the global `fetch`. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

/** Only asymmetric algorithms: with HS256 an attacker could sign tokens with the public key of the issuer. */
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

export function checkIssuer(check: Check, given: Readonly<Record<string, unknown>>): void {
  const { algorithms, timeoutMs } = given;
  const known: readonly unknown[] = ALGORITHMS;
  check.list(algorithms, 'algorithms', 'names', (item, path) => {
    if (!known.includes(item)) check.fault(path, `expected one of ${ALGORITHMS.join(', ')}`);
  });
  if (Array.isArray(algorithms) && algorithms.length === 0) check.fault('algorithms', 'must not be empty');
  if (timeoutMs !== undefined && !(Number.isSafeInteger(timeoutMs) && Number(timeoutMs) > 0)) {
    check.fault('timeoutMs', `expected a number of milliseconds >= 1, got ${kindOf(timeoutMs)}`);
  }
  check.callback(given['fetch'], 'fetch');
  checkRules(check, given);
}

/** Requires HTTPS, because an attacker on the network could otherwise replace the keys. */
export function checkSecure(check: Check, value: unknown, path: string): void {
  const address = check.webAddress(value, path);
  if (!URL.canParse(address)) return;
  if (address.includes('#')) check.fault(path, 'must not contain #');
  if (!isSecureAddress(address)) check.fault(path, 'must start with https:// unless it is a loopback address');
}

/** Fetches a document of the issuer. */
export async function fetchIssued(url: string, options: IssuerOptions): Promise<unknown> {
  const { fetch: own, timeoutMs = TIMEOUT_MS } = options;
  const { fetchJson } = await import('../../../support/http-client/fetch-json.ts');
  if (own === undefined) return fetchJson(url, timeoutMs);
  return fetchJson(url, timeoutMs, ({ signal, headers }) => own(url, { redirect: 'error', signal, headers }));
}
