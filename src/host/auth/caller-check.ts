import type { Caller } from '../../engine/handler.ts';
import { isName, MAX_CALLER } from '../../support/name.ts';
import { isObject, kindOf } from '../../support/check.ts';
import { invalidCredentials } from './authentication-errors.ts';

/**
 * Checks the caller that an author's `auth` function returned, because it decides which tasks the request can see. A string in
 * place of an array would otherwise pass as one: `'readonly'.includes('read')` is true.
 *
 * @throws TypeError for the log, which states what `auth` must return.
 * @throws A2AError `UNAUTHENTICATED` if the id is too long, because it usually comes from the caller's credentials.
 */
export function assertCaller(found: unknown): asserts found is Caller {
  const fault = callerFault(found);
  if (fault !== undefined) {
    throw new TypeError(
      `auth must return { id, isVerified, scopes?, tenants?, expiresAt? }, or undefined without credentials: ${fault}`,
    );
  }
  if ((found as Caller).id.length <= MAX_CALLER) return;
  throw invalidCredentials(
    `The caller id in your credentials is longer than ${MAX_CALLER} characters: use credentials with a shorter id`,
  );
}

/** Whether the result is a promise. An author's code may return any thenable. */
export function isLater<T>(found: T | Promise<T>): found is Promise<T> {
  return typeof found === 'object' && found !== null && 'then' in found;
}

function callerFault(found: unknown): string | undefined {
  if (!isObject(found)) return `got ${kindOf(found)}`;
  const { id, isVerified, scopes, tenants, expiresAt } = found;
  // The id is part of every key under which tasks are stored.
  if (typeof id !== 'string' || id === '' || !isName(id))
    return 'id: expected a non-empty string of valid Unicode without NUL';
  if (typeof isVerified !== 'boolean') return `isVerified: expected true or false, got ${kindOf(isVerified)}`;
  if (!isTexts(scopes)) return `scopes: expected an array of strings, got ${kindOf(scopes)}`;
  if (!isTexts(tenants)) return `tenants: expected an array of strings, got ${kindOf(tenants)}`;
  if (expiresAt === undefined || Number.isFinite(expiresAt)) return undefined;
  return 'expiresAt: expected a time in milliseconds since 1970';
}

function isTexts(value: unknown): boolean {
  if (value === undefined) return true;
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}
