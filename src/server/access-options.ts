import { type Check, kindOf } from './check.ts';

/** What callers need beyond being known. Every member has a default. */
export interface AccessOptions {
  /** Scopes that every caller needs; none if not set. */
  readonly requiredScopes?: readonly string[];
  /** Whether the card is for known callers only; it is for everybody if not set. Needs `auth`. */
  readonly protectCard?: boolean;
  /** How long a stream may outlive the token that it was opened with; it ends with the token if not set. */
  readonly streamGraceMs?: number;
}

export type AccessSettings = Required<AccessOptions>;

export const DEFAULT_ACCESS: AccessSettings = { requiredScopes: [], protectCard: false, streamGraceMs: 0 };

/** Reads the group as somebody wrote it; undefined if it is not there. */
export function readAccess(check: Check, value: unknown, hasAuth: boolean): AccessSettings | undefined {
  if (value === undefined) return undefined;
  const given = check.record(value, 'access', `{ requiredScopes: ['read'] }`) ?? {};
  check.keys(given, Object.keys(DEFAULT_ACCESS), 'access.');
  const { protectCard = DEFAULT_ACCESS.protectCard, streamGraceMs = DEFAULT_ACCESS.streamGraceMs } = given;
  const requiredScopes = check.list(given['requiredScopes'], 'access.requiredScopes', 'scopes', (item, path) => {
    const scope = check.text(item, path, 'read');
    // In the header that names it, a space ends one and a quote ends all (RFC 6749 §3.3).
    if (!/^[\x21\x23-\x5b\x5d-\x7e]*$/.test(scope)) check.fault(path, 'must have visible ASCII characters only');
    return scope;
  });
  if (typeof protectCard !== 'boolean') {
    check.fault('access.protectCard', `must be true or false, not ${kindOf(protectCard)}`);
  }
  if (!(Number.isSafeInteger(streamGraceMs) && Number(streamGraceMs) >= 0)) {
    check.fault('access.streamGraceMs', `must be a number of milliseconds, 0 or more, not ${kindOf(streamGraceMs)}`);
  }
  if (!hasAuth && protectCard === true) check.fault('access.protectCard', 'needs auth: nobody is known without it');
  if (!hasAuth && requiredScopes.length > 0) {
    check.fault('access.requiredScopes', 'needs auth: nobody has a scope without it');
  }
  return { requiredScopes, protectCard: protectCard === true, streamGraceMs: Number(streamGraceMs) };
}
