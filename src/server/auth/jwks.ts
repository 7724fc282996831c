import type { JSONWebKeySet } from 'jose';
import type { Caller } from '../../engine/handler.ts';
import { Check, isObject, kindOf } from '../check.ts';
import type { Authenticator, ServedAt } from './authenticator.ts';
import { invalidCredentials } from './credentials.ts';
import { ALGORITHMS, checkIssuer, checkSecure, fetchJson, ISSUER_KEYS, type IssuerOptions } from './issuer.ts';
import { jwtAuthenticator, type VerifyToken } from './jwt-authenticator.ts';
import { RemoteKeys } from './remote-keys.ts';
import { checkTexts } from './token-rules.ts';
import { callerOf, requiredAudience, verifyJwt } from './verify-jwt.ts';

export interface JwksOptions extends IssuerOptions {
  /** Whose tokens are taken, as `iss` has it: one or several, which have the same keys then. */
  readonly issuer: string | readonly string[];
  /** Where the public keys are. */
  readonly jwksUrl: string;
}

const SCHEMES = { jwt: { httpAuthSecurityScheme: { scheme: 'Bearer', bearerFormat: 'JWT' } } } as const;

/**
 * Knows callers by a JWT that an issuer has signed, by the public keys at an address. The caller's id is `<issuer>#<sub>`.
 *
 * @example
 * jwks({ issuer: 'https://login.example', jwksUrl: 'https://login.example/keys' })
 *
 * @throws TypeError that names what is wrong.
 */
export function jwks(options: JwksOptions, now: () => number = Date.now): Authenticator {
  const check = new Check();
  const given: Readonly<Record<string, unknown>> = isObject(options) ? options : {};
  if (!isObject(options)) check.fault('options', `must be an object, not ${kindOf(options)}`);
  check.keys(given, ['issuer', 'jwksUrl', ...ISSUER_KEYS], '');
  const issuers = checkTexts(check, given['issuer'], 'issuer');
  if (issuers.some((issuer) => issuer.includes('#'))) check.fault('issuer', 'must have no #');
  // Not all are addresses, but these are what ids of a shared secret begin with.
  if (issuers.some((issuer) => /^(?:shared$|org:)/i.test(issuer))) {
    check.fault('issuer', 'must not be "shared", nor begin with "org:"');
  }
  checkSecure(check, given['jwksUrl'], 'jwksUrl');
  checkIssuer(check, given);
  check.finish('jwks() cannot use these options:');
  const load = async (): Promise<JSONWebKeySet> => (await fetchJson(options.jwksUrl, options)) as JSONWebKeySet;
  return jwtAuthenticator(SCHEMES, issuedBy(issuers, options, new RemoteKeys(load, now), now), now);
}

/** Verifies tokens of issuers by their keys. */
export function issuedBy(
  issuers: readonly string[],
  options: IssuerOptions,
  keys: RemoteKeys,
  now: () => number,
): VerifyToken {
  const algorithms = [...(options.algorithms ?? ALGORITHMS)];
  return async (token: string, servedAt: ServedAt): Promise<Caller> => {
    await refuseForeign(issuers, algorithms, token);
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

/** What its issuer has surely not made is no reason to ask him for keys. */
async function refuseForeign(issuers: readonly string[], algorithms: readonly string[], token: string): Promise<void> {
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
    throw invalidCredentials('The issuer of the token is not one that this agent trusts');
  }
  if (!algorithms.some((each) => each === algorithm)) {
    throw invalidCredentials('The token is signed by an algorithm that this agent does not take');
  }
}
