import { normalizeBase64 } from '../../support/base64.ts';
import type { Authenticator } from './authenticator.ts';
import { invalidCredentials } from './authentication-errors.ts';
import { credentialsOf } from './credentials.ts';
import { type CallerGrants, ConfiguredCallers } from './configured-callers.ts';

/** A password, or several that are all valid for rotation, with scopes and tenants. */
export type BasicUser =
  | string
  | ({
      /** The password, or several valid passwords. */
      readonly password: string | readonly string[];
    } & CallerGrants);

/**
 * Authenticates callers by user name and password: `Authorization: Basic …` (RFC 7617, UTF-8). The caller's id is the user name.
 *
 * @example
 * basicAuth({ alice: process.env.ALICE_PASSWORD })
 *
 * @throws TypeError that lists every problem, such as an empty password.
 */
export function basicAuth(users: Readonly<Record<string, BasicUser | undefined>>): Authenticator {
  const known = new ConfiguredCallers(users, {
    what: 'basicAuth()',
    member: 'password',
    nameFault: (name) => (/[:\p{Cc}]/u.test(name) ? 'must not contain a colon or control characters' : undefined),
    secretFault: (password) => (/\p{Cc}/u.test(password) ? 'must not contain control characters' : undefined),
    proof: (name, password) => `${name}:${password}`,
  });
  return {
    schemes: { basic: { httpAuthSecurityScheme: { scheme: 'Basic' } } },
    challenge: 'Basic realm="a2a", charset="UTF-8"',
    authenticate(request) {
      const encoded = credentialsOf(request, 'basic');
      return encoded === undefined ? undefined : known.authenticate(decoded(encoded), 'Invalid user name or password');
    },
  };
}

function decoded(encoded: string): string {
  const base64 = normalizeBase64(encoded);
  if (base64 === undefined)
    throw invalidCredentials('Expected user:password in base64 after Basic in the Authorization header');
  try {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw invalidCredentials('Expected user:password in UTF-8 after Basic in the Authorization header', cause);
  }
}
