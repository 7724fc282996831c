import type { JSONWebKeySet } from 'jose';
import type { Caller } from '../../../engine/handler.ts';
import { Check } from '../../../support/check.ts';
import { type OptionTable, readTable, required } from '../../../support/options.ts';
import type { Authenticator, ServedAt } from '../authenticator.ts';
import { invalidCredentials } from '../authentication-errors.ts';
import { fetchIssued, ISSUER, type IssuerOptions, type IssuerSettings, secureAddress } from './issuer.ts';
import { jwtAuthenticator, type VerifyToken } from './jwt-authenticator.ts';
import { RemoteKeys } from '../../../support/remote-keys.ts';
import { checkTexts, callerOf, requiredAudience, verifyJwt } from './verify-jwt.ts';

/** Options of `jwks()`. */
export interface JwksOptions extends IssuerOptions {
  /** The accepted `iss` claim, or several issuers that share the same keys. Required. */
  readonly issuer: string | readonly string[];
  /** The URL of the JSON Web Key Set. Must use HTTPS, except on a loopback address. Required. */
  readonly jwksUrl: string;
}

/** The options of `jwks()`. */
export const JWKS = {
  issuer: required((check, value, path) => {
    const issuers = checkTexts(check, value, path);
    if (issuers.some((issuer) => issuer.includes('#'))) check.fault(path, 'must not contain #');
    // The caller ids of sharedSecret() start with these.
    if (issuers.some((issuer) => /^(?:shared$|org:)/i.test(issuer)))
      check.fault(path, 'must not be "shared" or start with "org:"');
    return issuers;
  }),
  jwksUrl: secureAddress,
  ...ISSUER,
} as const satisfies OptionTable<JwksOptions>;

const SCHEMES = { jwt: { httpAuthSecurityScheme: { scheme: 'Bearer', bearerFormat: 'JWT' } } } as const;

/**
 * Authenticates callers by a JWT, verified with the public keys at a URL. The claims `iss`, `sub`, `exp` and `aud` are required. The
 * caller's id is `<issuer>#<sub>`. Keys are fetched with the first token and refreshed after 10 minutes; if the issuer is
 * unreachable, the old keys stay valid for 24 hours.
 *
 * @example
 * jwks({ issuer: 'https://login.example', jwksUrl: 'https://login.example/keys' })
 *
 * @throws TypeError that lists every invalid option.
 */
export function jwks(options: JwksOptions, now: () => number = Date.now): Authenticator {
  const check = new Check();
  const settings = readTable(check, check.options(options), JWKS);
  check.finish('Invalid options for jwks():');
  const load = async (): Promise<JSONWebKeySet> => (await fetchIssued(settings.jwksUrl, settings)) as JSONWebKeySet;
  const verify = createVerifier(settings.issuer, settings, new RemoteKeys(load, now), now);
  return jwtAuthenticator(SCHEMES, verify, now);
}

export function createVerifier(
  issuers: readonly string[],
  options: IssuerSettings,
  keys: RemoteKeys,
  now: () => number,
): VerifyToken {
  const algorithms = [...options.algorithms];
  return async (token: string, servedAt: ServedAt): Promise<Caller> => {
    await rejectForeign(issuers, algorithms, token);
    const audience = requiredAudience(options, servedAt);
    const payload = await verifyJwt(token, keys.find, {
      rules: options,
      now: now(),
      algorithms,
      issuer: [...issuers],
      audience,
    });
    return callerOf(payload.iss ?? '', payload, options);
  };
}

/** Rejects tokens of other issuers and algorithms before any keys are fetched. */
async function rejectForeign(issuers: readonly string[], algorithms: readonly string[], token: string): Promise<void> {
  const { decodeJwt, decodeProtectedHeader } = await import('jose');
  let issuer: unknown;
  let algorithm: unknown;
  try {
    issuer = decodeJwt(token).iss;
    algorithm = decodeProtectedHeader(token).alg;
  } catch (error) {
    throw invalidCredentials('The bearer token is not a valid JWT', error);
  }
  if (!issuers.some((each) => each === issuer)) {
    throw invalidCredentials('The token was issued by an issuer that this agent does not trust');
  }
  if (!algorithms.some((each) => each === algorithm)) {
    throw invalidCredentials('The token is signed with an algorithm that this agent does not accept');
  }
}
