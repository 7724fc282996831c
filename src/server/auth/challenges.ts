import type { A2AError } from '../../errors.ts';
import type { Authenticator } from './authenticator.ts';
import { BEARER_CHALLENGE } from './credentials.ts';

/** What `WWW-Authenticate` tells those who are refused (RFC 9110 §11.6.1, RFC 6750 §3). */
export class Challenges {
  readonly #all: readonly string[];

  constructor(authenticators: readonly Authenticator[]) {
    const named = authenticators.map(({ challenge }) => challenge).filter((challenge) => challenge !== '');
    // HTTP wants one in every 401.
    this.#all = named.length > 0 ? [...new Set(named)] : [BEARER_CHALLENGE];
  }

  /** The header for the answer to an error; undefined if there is nothing to tell. */
  headers({ code, details }: A2AError): Readonly<Record<string, string>> | undefined {
    if (code === 'UNAUTHENTICATED') {
      const problem = details['error'] === 'invalid_token' ? ', error="invalid_token"' : '';
      const challenges = this.#all.map((challenge) => (isBearer(challenge) ? challenge + problem : challenge));
      return { 'www-authenticate': challenges.join(', ') };
    }
    if (code !== 'PERMISSION_DENIED' || details['error'] !== 'insufficient_scope') return undefined;
    const bearer = this.#all.find(isBearer);
    const scope = (details['scope'] ?? '').replaceAll(/[^\x20-\x7e]|["\\]/g, '?');
    return bearer === undefined
      ? undefined
      : { 'www-authenticate': `${bearer}, error="insufficient_scope", scope="${scope}"` };
  }
}

function isBearer(challenge: string): boolean {
  return /^bearer\b/i.test(challenge);
}
