import type { JSONWebKeySet } from 'jose';
import { Check, isObject, kindOf } from '../check.ts';
import type { Authenticator } from './authenticator.ts';
import { isSecureAddress } from '../../support/loopback.ts';
import { checkIssuer, checkSecure, fetchJson, ISSUER_KEYS, type IssuerOptions } from './issuer.ts';
import { issuedBy } from './jwks.ts';
import { jwtAuthenticator } from './jwt-authenticator.ts';
import { RemoteKeys } from './remote-keys.ts';

export interface OidcOptions extends IssuerOptions {
  /** The address of the provider, as `iss` has it. For several, use several authenticators. */
  readonly issuer: string;
}

/**
 * Knows callers by a JWT of an OpenID provider, whose keys are found by its discovery document. The caller's id is
 * `<issuer>#<sub>`.
 *
 * @example
 * oidc({ issuer: 'https://login.example' })
 *
 * @throws TypeError that names what is wrong.
 */
export function oidc(options: OidcOptions, now: () => number = Date.now): Authenticator {
  const check = new Check();
  const given: Readonly<Record<string, unknown>> = isObject(options) ? options : {};
  if (!isObject(options)) check.fault('options', `must be an object, not ${kindOf(options)}`);
  check.keys(given, ['issuer', ...ISSUER_KEYS], '');
  checkSecure(check, given['issuer'], 'issuer');
  checkIssuer(check, given);
  check.finish('oidc() cannot use these options:');
  const { issuer } = options;
  const openIdConnectUrl = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const load = async (): Promise<JSONWebKeySet> => {
    const keysUrl = keysAddress(issuer, await fetchJson(openIdConnectUrl, options));
    return (await fetchJson(keysUrl, options)) as JSONWebKeySet;
  };
  const schemes = { oidc: { openIdConnectSecurityScheme: { openIdConnectUrl } } };
  return jwtAuthenticator(schemes, issuedBy([issuer], options, new RemoteKeys(load, now), now), now);
}

/** A document that tells of another issuer is not his (OpenID Connect Discovery §4.3). */
function keysAddress(issuer: string, document: unknown): string {
  const { issuer: named, jwks_uri: address } = isObject(document) ? document : {};
  if (named !== issuer) throw new Error(`The discovery document of ${issuer} names another issuer`);
  if (typeof address !== 'string' || !URL.canParse(address) || !isSecureAddress(address)) {
    throw new Error(`The discovery document of ${issuer} has no jwks_uri that starts with https://`);
  }
  return address;
}
