import type { JSONWebKeySet } from 'jose';
import { Check, isObject } from '../../../support/check.ts';
import { type OptionTable, readTable } from '../../../support/options.ts';
import type { Authenticator } from '../authenticator.ts';
import { isSecureAddress } from '../../../support/net/loopback.ts';
import { fetchIssued, ISSUER, type IssuerOptions, secureAddress } from './issuer.ts';
import { createVerifier } from './jwks.ts';
import { jwtAuthenticator } from './jwt-authenticator.ts';
import { RemoteKeys } from '../../../support/remote-keys.ts';

/** Options of `oidc()`. */
export interface OidcOptions extends IssuerOptions {
  /** The URL of the provider, exactly as in the `iss` claim. For several providers use several authenticators. Required. */
  readonly issuer: string;
}

/** The options of `oidc()`. */
export const OIDC = { issuer: secureAddress, ...ISSUER } as const satisfies OptionTable<OidcOptions>;

/**
 * Authenticates callers by a JWT of an OpenID provider, whose keys are found through its discovery document. Otherwise it works like
 * `jwks()`. The caller's id is `<issuer>#<sub>`.
 *
 * @example
 * oidc({ issuer: 'https://login.example' })
 *
 * @throws TypeError that lists every invalid option.
 */
export function oidc(options: OidcOptions, now: () => number = Date.now): Authenticator {
  const check = new Check();
  const settings = readTable(check, check.options(options), OIDC);
  check.finish('Invalid options for oidc():');
  const { issuer } = settings;
  const openIdConnectUrl = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const load = async (): Promise<JSONWebKeySet> => {
    const keysUrl = keysAddress(issuer, await fetchIssued(openIdConnectUrl, settings));
    return (await fetchIssued(keysUrl, settings)) as JSONWebKeySet;
  };
  const schemes = { oidc: { openIdConnectSecurityScheme: { openIdConnectUrl } } };
  return jwtAuthenticator(schemes, createVerifier([issuer], settings, new RemoteKeys(load, now), now), now);
}

/** A discovery document must name its own issuer (OpenID Connect Discovery §4.3). */
function keysAddress(issuer: string, document: unknown): string {
  const { issuer: named, jwks_uri: address } = isObject(document) ? document : {};
  if (named !== issuer) throw new Error(`The discovery document of ${issuer} names another issuer`);
  if (typeof address !== 'string' || !URL.canParse(address) || !isSecureAddress(address)) {
    throw new Error(`The discovery document of ${issuer} has no jwks_uri that starts with https://`);
  }
  return address;
}
