import { A2AError } from '../../errors.ts';
import type { HttpRequest } from '../http.ts';

/** What all challenges name as the place that is protected. */
export const BEARER_CHALLENGE = 'Bearer realm="a2a"';

/** What follows the name of a scheme in the header `Authorization`; undefined if that names another scheme. */
export function credentialsOf(request: HttpRequest, scheme: 'bearer' | 'basic'): string | undefined {
  const header = request.header('authorization');
  if (header === undefined) return undefined;
  // The name alone has empty credentials: HTTP takes off the space after it.
  const { length } = scheme;
  if (header.length > length && header[length] !== ' ') return undefined;
  return header.slice(0, length).toLowerCase() === scheme ? header.slice(length).trim() : undefined;
}

/** Credentials came, and are no good. The details use the words of RFC 6750 §3.1, as `WWW-Authenticate` does. */
export function invalidCredentials(message: string, cause?: unknown): A2AError {
  return new A2AError('UNAUTHENTICATED', message, { details: { error: 'invalid_token' }, cause });
}

export function missingCredentials(): A2AError {
  return new A2AError(
    'UNAUTHENTICATED',
    'This agent answers callers that it knows: send credentials, as its card says',
  );
}
