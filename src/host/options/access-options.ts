import { type Check, kindOf } from '../../support/check.ts';

/** Requirements for authenticated callers. */
export interface AccessOptions {
  /** Scopes that every caller needs for every operation. Requires `auth`. Default: none. */
  readonly requiredScopes?: readonly string[];
  /** Whether the card requires authentication, too. Requires `auth`. Default: `false`. */
  readonly protectCard?: boolean;
  /** How long a stream stays open after the token it was opened with has expired, in milliseconds. Default: 0. */
  readonly streamGraceMs?: number;
}

export type AccessSettings = Required<AccessOptions>;

export const DEFAULT_ACCESS: AccessSettings = { requiredScopes: [], protectCard: false, streamGraceMs: 0 };

export function readAccess(check: Check, value: unknown, hasAuth: boolean): AccessSettings | undefined {
  if (value === undefined) return undefined;
  const given = check.record(value, 'access', `{ requiredScopes: ['read'] }`) ?? {};
  check.keys(given, Object.keys(DEFAULT_ACCESS), 'access.');
  const { protectCard = DEFAULT_ACCESS.protectCard, streamGraceMs = DEFAULT_ACCESS.streamGraceMs } = given;
  const requiredScopes = check.list(given['requiredScopes'], 'access.requiredScopes', 'scopes', (item, path) => {
    const scope = check.text(item, path, 'read');
    // In WWW-Authenticate a space separates scopes and a quote ends the list (RFC 6749 §3.3).
    if (!/^[\x21\x23-\x5b\x5d-\x7e]*$/.test(scope))
      check.fault(path, 'must contain only visible ASCII characters without quotes');
    return scope;
  });
  check.flag(protectCard, 'access.protectCard');
  if (!(Number.isSafeInteger(streamGraceMs) && Number(streamGraceMs) >= 0)) {
    check.fault('access.streamGraceMs', `expected a number of milliseconds >= 0, got ${kindOf(streamGraceMs)}`);
  }
  if (!hasAuth && protectCard === true) check.fault('access.protectCard', 'requires auth');
  if (!hasAuth && requiredScopes.length > 0) {
    check.fault('access.requiredScopes', 'requires auth');
  }
  return { requiredScopes, protectCard: protectCard === true, streamGraceMs: Number(streamGraceMs) };
}
