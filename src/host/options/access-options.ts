import type { Check } from '../../support/check.ts';
import {
  defaultsOf,
  duration,
  flag,
  listOf,
  type OptionTable,
  readTable,
  type Settings,
} from '../../support/options.ts';

/** Requirements for authenticated callers. */
export interface AccessOptions {
  /** Scopes that every caller needs for every operation. Requires `auth`. Default: none. */
  readonly requiredScopes?: readonly string[];
  /** Whether the card requires authentication, too. Requires `auth`. Default: `false`. */
  readonly protectCard?: boolean;
  /** How long a stream stays open after the token it was opened with has expired, in milliseconds. Default: 0. */
  readonly streamGraceMs?: number;
}

/** The options of `access`. */
export const ACCESS = {
  requiredScopes: {
    byDefault: [] as readonly string[],
    read: listOf('scopes', (check, item, path) => {
      const scope = check.text(item, path, 'read');
      // In WWW-Authenticate a space separates scopes and a quote ends the list (RFC 6749 §3.3).
      if (!/^[\x21\x23-\x5b\x5d-\x7e]*$/.test(scope))
        check.fault(path, 'must contain only visible ASCII characters without quotes');
      return scope;
    }).read,
  },
  protectCard: flag(false),
  streamGraceMs: duration({ least: 0, byDefault: 0 }),
} as const satisfies OptionTable<AccessOptions>;

export type AccessSettings = Settings<typeof ACCESS>;

export const DEFAULT_ACCESS: AccessSettings = defaultsOf(ACCESS);

export function readAccess(check: Check, value: unknown, hasAuth: boolean): AccessSettings | undefined {
  if (value === undefined) return undefined;
  const given = check.record(value, 'access', `{ requiredScopes: ['read'] }`) ?? {};
  const settings = readTable(check, given, ACCESS, 'access.');
  if (!hasAuth && settings.protectCard) check.fault('access.protectCard', 'requires auth');
  if (!hasAuth && settings.requiredScopes.length > 0) check.fault('access.requiredScopes', 'requires auth');
  return settings;
}
