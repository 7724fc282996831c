import { isSecureAddress } from '../../../support/net/loopback.ts';
import { callback, duration, option, type OptionTable, required, type Settings } from '../../../support/options.ts';
import { TOKEN_RULES, type TokenRules } from './verify-jwt.ts';

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
const ALGORITHMS = [
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

const TIMEOUT_MS = 5000;

/** The options that `jwks()` and `oidc()` have in common. */
export const ISSUER = {
  algorithms: option((check, value, path): readonly string[] => {
    const known: readonly unknown[] = ALGORITHMS;
    if (Array.isArray(value) && value.length === 0) check.fault(path, 'must not be empty');
    return check.list(value, path, 'names', (item, at) => {
      if (!known.includes(item)) check.fault(at, `expected one of ${ALGORITHMS.join(', ')}`);
      return String(item);
    });
  }, ALGORITHMS),
  timeoutMs: duration({ byDefault: TIMEOUT_MS }),
  fetch: callback<NonNullable<IssuerOptions['fetch']>>(),
  ...TOKEN_RULES,
} as const satisfies OptionTable<IssuerOptions>;

export type IssuerSettings = Settings<typeof ISSUER>;

/** Requires HTTPS, because an attacker on the network could otherwise replace the keys. */
export const secureAddress = required((check, value, path) => {
  const address = check.webAddress(value, path);
  if (!URL.canParse(address)) return address;
  if (address.includes('#')) check.fault(path, 'must not contain #');
  if (!isSecureAddress(address)) check.fault(path, 'must start with https:// unless it is a loopback address');
  return address;
});

/** Fetches a document of the issuer. */
export async function fetchIssued(url: string, settings: IssuerSettings): Promise<unknown> {
  const { fetch: own, timeoutMs } = settings;
  const { fetchJson } = await import('../../../support/http-client/fetch-json.ts');
  if (own === undefined) return fetchJson(url, timeoutMs);
  return fetchJson(url, timeoutMs, ({ signal, headers }) => own(url, { redirect: 'error', signal, headers }));
}
