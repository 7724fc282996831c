import { trimEndOf } from '../../support/trim-end.ts';
import { type Check, quoted } from '../../support/check.ts';

/** Rejects an empty array: it would disable the server, and is most likely a lost value. */
export function rejectEmpty(check: Check, value: unknown, path: string): void {
  if (Array.isArray(value) && value.length === 0)
    check.fault(path, 'must not be empty; leave it out to use the default');
}

/** Returns the path without a trailing slash; the root is the empty string. */
export function readPath(check: Check, value: unknown, path: string): string {
  if (typeof value === 'string' && /^\/[^?#\s]*$/.test(value)) return trimEndOf(value, '/');
  check.fault(path, `expected a path such as "/a2a", got ${quoted(value)}`);
  return '';
}
