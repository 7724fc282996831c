import type { Caller } from '../../engine/handler.ts';
import { isName, MAX_CALLER } from '../../support/name.ts';
import { isObject, kindOf } from '../check.ts';
import { invalidCredentials } from './credentials.ts';

/**
 * What an author's code says of a caller decides what he may see. A text in the place of a list would pass as one, for it
 * includes its pieces: so it is looked at before anything is kept under its name.
 *
 * @throws TypeError for the log, which tells the author what to give.
 * @throws A2AError `UNAUTHENTICATED` for an id that is too long: most often the caller's credentials have said it.
 */
export function assertCaller(found: unknown): asserts found is Caller {
  const fault = callerFault(found);
  if (fault !== undefined) {
    throw new TypeError(
      `What auth finds must be { id, isVerified, scopes?, tenants?, expiresAt? }, or undefined for strangers: ${fault}`,
    );
  }
  if ((found as Caller).id.length <= MAX_CALLER) return;
  throw invalidCredentials(`Your credentials give you an id of more than ${MAX_CALLER} characters: get shorter ones`);
}

/** Whether it is known later. What an author's code gives may be anything. */
export function isLater<T>(found: T | Promise<T>): found is Promise<T> {
  return typeof found === 'object' && found !== null && 'then' in found;
}

function callerFault(found: unknown): string | undefined {
  if (!isObject(found)) return `it is ${kindOf(found)}`;
  const { id, isVerified, scopes, tenants, expiresAt } = found;
  // Everything is kept under it.
  if (typeof id !== 'string' || id === '' || !isName(id))
    return 'id must be a text with one character at least, and no NUL';
  if (typeof isVerified !== 'boolean') return `isVerified must be true or false, not ${kindOf(isVerified)}`;
  if (!isTexts(scopes)) return `scopes must be a list of texts, not ${kindOf(scopes)}`;
  if (!isTexts(tenants)) return `tenants must be a list of texts, not ${kindOf(tenants)}`;
  if (expiresAt === undefined || Number.isFinite(expiresAt)) return undefined;
  return 'expiresAt must be a time in milliseconds since 1970';
}

function isTexts(value: unknown): boolean {
  if (value === undefined) return true;
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}
