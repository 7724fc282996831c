import type { Caller } from '../../engine/handler.ts';
import { normalizeBase64 } from '../../support/base64.ts';
import type { Authenticator } from './authenticator.ts';
import { credentialsOf, invalidCredentials } from './credentials.ts';
import { type CallerGrants, KnownCallers } from './known-callers.ts';

/** A user with a password; with several all are valid, such as an old and a new one. */
export type BasicUser = string | ({ readonly password: string | readonly string[] } & CallerGrants);

/**
 * Knows callers by name and password, as in `Authorization: Basic …` (RFC 7617, in UTF-8).
 *
 * @example
 * basicAuth({ alice: process.env.ALICE_PASSWORD })
 *
 * @throws TypeError that names what is wrong.
 */
export function basicAuth(users: Readonly<Record<string, BasicUser | undefined>>): Authenticator {
  const known = new KnownCallers(users, {
    what: 'basicAuth()',
    member: 'password',
    nameFault: (name) => (/[:\p{Cc}]/u.test(name) ? 'must have no colon and no control characters' : undefined),
    secretFault: (password) => (/\p{Cc}/u.test(password) ? 'must have no control characters' : undefined),
    proof: (name, password) => `${name}:${password}`,
  });
  return {
    schemes: { basic: { httpAuthSecurityScheme: { scheme: 'Basic' } } },
    challenge: 'Basic realm="a2a", charset="UTF-8"',
    authenticate(request) {
      const encoded = credentialsOf(request, 'basic');
      if (encoded === undefined) return undefined;
      const found = known.find(decoded(encoded));
      return found !== undefined && 'then' in found ? found.then(knownUser) : knownUser(found);
    },
  };
}

function knownUser(caller: Caller | undefined): Caller {
  if (caller === undefined) throw invalidCredentials('The user and password are not known to this agent');
  return caller;
}

function decoded(encoded: string): string {
  const base64 = normalizeBase64(encoded);
  if (base64 === undefined) throw invalidCredentials('Expected user:password in base64 after Basic');
  try {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw invalidCredentials('Expected user:password in UTF-8 after Basic', cause);
  }
}
