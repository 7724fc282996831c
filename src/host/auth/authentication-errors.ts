/** The errors of callers that are not authenticated: the responses with status 401. */
import { A2AError } from '../../errors.ts';
import type { SecurityScheme } from '../../model/security.ts';
import type { Authenticator } from './authenticator.ts';

/** The request has credentials, and they are invalid. The details use the error codes of RFC 6750 §3.1, as `WWW-Authenticate` does. */
export function invalidCredentials(message: string, cause?: unknown): A2AError {
  return new A2AError('UNAUTHENTICATED', message, { details: { error: 'invalid_token' }, cause });
}

/** The request has no credentials. The message names the kind that the first scheme of the agent expects. */
export function missingCredentials(authenticators: readonly Pick<Authenticator, 'schemes'>[]): A2AError {
  const [first] = authenticators.flatMap(({ schemes }) => Object.values(schemes));
  // `auth` with `schemes: {}` declares nothing on the card.
  const advice =
    first === undefined ? 'Send credentials.' : `Send ${kindOf(first)}; see \`securitySchemes\` in the agent card.`;
  return new A2AError('UNAUTHENTICATED', `Authentication required. ${advice}`);
}

function kindOf(scheme: SecurityScheme): string {
  if ('mtlsSecurityScheme' in scheme) return 'credentials';
  if ('apiKeySecurityScheme' in scheme) return 'an API key';
  if (!('httpAuthSecurityScheme' in scheme)) return 'a bearer token';
  const name = scheme.httpAuthSecurityScheme.scheme.toLowerCase();
  if (name === 'basic') return 'a user name and password';
  return name === 'bearer' ? 'a bearer token' : 'credentials';
}
