import type { Caller } from '../../engine/handler.ts';
import { A2AError } from '../../errors.ts';
import { type AccessSettings, DEFAULT_ACCESS } from '../options/access-options.ts';
import { anonymous, identifyBy, rejectAll } from './identify.ts';
import type { FailedLogins } from '../limits/failed-logins.ts';
import type { AnonymousAccess } from '../options/anonymous-access.ts';
import type { Authenticator, Identify, ServedAt } from './authenticator.ts';
import { requireScopes } from '../../agent/scopes.ts';
import { BEARER_CHALLENGE } from './credentials.ts';

export interface AccessRules extends ServedAt {
  readonly auth: readonly Authenticator[] | undefined;
  readonly access: AccessSettings | undefined;
  /** How anonymous callers are treated without `auth`. */
  readonly anonymousAccess: AnonymousAccess;
  /** See `AnonymousOptions`. */
  readonly rejectCrossSite?: boolean | undefined;
  /** Whether the operator has allowed pages of this origin to call. */
  readonly allowsOrigin?: ((origin: string) => boolean) | undefined;
  readonly logins: FailedLogins;
}

/** Decides who can call an agent. */
export class Access {
  readonly identify: Identify;
  readonly #challenges: readonly string[];
  readonly #settings: AccessSettings;
  readonly #anonymousMayList: boolean;

  constructor(rules: AccessRules) {
    const { auth, access = DEFAULT_ACCESS, publicUrl, anonymousAccess, logins } = rules;
    this.#settings = access;
    this.#challenges = challengesOf(auth ?? []);
    this.#anonymousMayList = auth === undefined && anonymousAccess === 'local';
    if (auth !== undefined) this.identify = logins.before(identifyBy({ authenticators: auth, publicUrl, logins }));
    else this.identify = anonymousAccess === 'denied' ? rejectAll : anonymous({ ...rules, anonymousAccess });
  }

  get protectsCard(): boolean {
    return this.#settings.protectCard;
  }

  /** The `WWW-Authenticate` header for an error (RFC 9110 §11.6.1, RFC 6750 §3); undefined if the error needs none. */
  challenge({ code, details }: A2AError): Readonly<Record<string, string>> | undefined {
    const all = this.#challenges;
    if (code === 'UNAUTHENTICATED') {
      const problem = details['error'] === 'invalid_token' ? ', error="invalid_token"' : '';
      return { 'www-authenticate': all.map((each) => (isBearer(each) ? each + problem : each)).join(', ') };
    }
    const bearer = all.find(isBearer);
    if (code !== 'PERMISSION_DENIED' || details['error'] !== 'insufficient_scope' || bearer === undefined)
      return undefined;
    const scope = (details['scope'] ?? '').replaceAll(/[^\x20-\x7e]|["\\]/g, '?');
    return { 'www-authenticate': `${bearer}, error="insufficient_scope", scope="${scope}"` };
  }

  /**
   * Checks the scopes that every caller needs. Called after the request is authenticated and counted, so that the audit record names
   * the caller, and before the body is read.
   *
   * @throws A2AError `PERMISSION_DENIED`
   */
  requireUse(caller: Caller): void {
    requireScopes(caller, this.#settings.requiredScopes);
  }

  /**
   * Checks whether a caller can list tasks. All anonymous callers are one owner, so a list would show each caller the tasks of all.
   *
   * @throws A2AError `PERMISSION_DENIED`
   */
  requireListing({ isVerified }: Caller): void {
    if (isVerified || this.#anonymousMayList) return;
    throw new A2AError(
      'PERMISSION_DENIED',
      'This agent lists tasks only for authenticated callers. Authenticate, or get each task by its id',
    );
  }

  /** When streams of a caller end, because its credentials expire and it must reconnect with new ones; `Infinity` for never. */
  streamEnd({ expiresAt = Infinity }: Caller): number {
    return expiresAt + this.#settings.streamGraceMs;
  }
}

/** The challenges of all authenticators. HTTP requires one in every 401. */
function challengesOf(authenticators: readonly Authenticator[]): readonly string[] {
  const named = authenticators.map(({ challenge }) => challenge).filter((challenge) => challenge !== '');
  return named.length > 0 ? [...new Set(named)] : [BEARER_CHALLENGE];
}

function isBearer(challenge: string): boolean {
  return /^bearer\b/i.test(challenge);
}
