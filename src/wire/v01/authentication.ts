import { A2AError } from '../../errors.ts';
import type { AgentCard } from '../../model/card.ts';
import type { SecurityRequirement, SecurityScheme } from '../../model/security.ts';

type Secured = Pick<AgentCard, 'securitySchemes' | 'securityRequirements'>;

/**
 * 0.1 only lists the names of authentication schemes, without token URL, header or scopes. Each name becomes a scheme
 * that a client can try, and one alternative.
 */
export function fromSchemeNames(names: readonly string[]): Secured {
  if (names.length === 0) return {};
  const distinct = [...new Set(names)];
  return {
    securitySchemes: Object.fromEntries(distinct.map((name) => [name, schemeNamed(name)])),
    securityRequirements: distinct.map((name) => ({ schemes: Object.fromEntries([[name, {}]]) })),
  };
}

function schemeNamed(name: string): SecurityScheme {
  switch (name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')) {
    case 'apikey':
      return { apiKeySecurityScheme: { location: 'header', name: 'X-API-Key' } };
    // These schemes result in a bearer token. 0.1 has no token URL, and 1.0 has no such scheme without one.
    case 'oauth':
    case 'oauth2':
    case 'openid':
    case 'openidconnect':
    case 'oidc':
      return { httpAuthSecurityScheme: { scheme: 'Bearer' } };
    default:
      return { httpAuthSecurityScheme: { scheme: name } };
  }
}

/** HTTP scheme names are case-insensitive, but 0.1 clients compare them with the spelling of the examples. */
const SPELLINGS = ['Bearer', 'Basic'];

/**
 * The scheme names for a card. 0.1 can only list alternatives of one scheme each. An alternative that needs two schemes
 * or mutual TLS is dropped, because one of its schemes alone would be weaker. If there are names, an alternative
 * without credentials is lost.
 *
 * @throws A2AError `UNSUPPORTED_OPERATION` if no alternative is left, because without names the agent would appear
 * open.
 */
export function toSchemeNames({ securitySchemes = {}, securityRequirements = [] }: Secured): readonly string[] {
  const names = securityRequirements
    .flatMap((requirement) => nameOf(requirement, securitySchemes) ?? [])
    .map((name) => SPELLINGS.find((usual) => usual.toLowerCase() === name.toLowerCase()) ?? name);
  const isOpen = securityRequirements.every(({ schemes }) => Object.keys(schemes).length === 0);
  if (names.length > 0 || isOpen) return [...new Set(names)];
  throw new A2AError(
    'UNSUPPORTED_OPERATION',
    'A2A 0.1 cannot describe any security requirement of the agent: add one that needs a single scheme other than ' +
      'mutual TLS, or remove the interface of version 0.1',
    { details: { version: '0.1' } },
  );
}

function nameOf({ schemes }: SecurityRequirement, known: Readonly<Record<string, SecurityScheme>>): string | undefined {
  const [key, ...others] = Object.keys(schemes);
  if (key === undefined || others.length > 0) return undefined;
  const scheme = Object.hasOwn(known, key) ? known[key] : undefined;
  // A key that alone identifies the scheme is used as the name, as are all keys that came from 0.1.
  if (scheme === undefined || JSON.stringify(schemeNamed(key)) === JSON.stringify(scheme)) return key;
  if ('httpAuthSecurityScheme' in scheme) return scheme.httpAuthSecurityScheme.scheme;
  if ('apiKeySecurityScheme' in scheme) return 'ApiKey';
  if ('oauth2SecurityScheme' in scheme) return 'OAuth2';
  return 'openIdConnectSecurityScheme' in scheme ? 'OpenID' : undefined;
}
