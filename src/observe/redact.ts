import { isSecretName } from '../support/secret-names.ts';
import { withoutSecrets } from '../support/secret-texts.ts';
import type { LogFields } from './log.ts';

const REDACTED = '[redacted]';

/** What is nested deeper tells nobody anything; it may also go round in a circle. */
const MAX_DEPTH = 8;

/**
 * The same fields, with nothing in them that looks like a secret, by its name or by itself, at any depth. What has none is
 * given back as it is, so that loggers recognise what they know.
 */
export function redacted(fields: LogFields): LogFields {
  return members(fields, 0) as LogFields;
}

function members(object: object, depth: number): object {
  const clean: Record<string, unknown> = {};
  let isChanged = false;
  for (const [name, value] of Object.entries(object) as [string, unknown][]) {
    const isSecret = isSecretName(name) && value !== undefined && value !== null;
    clean[name] = isSecret ? REDACTED : valueOf(value, depth + 1);
    if (clean[name] !== value) isChanged = true;
  }
  return isChanged ? clean : object;
}

function valueOf(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return withoutSecrets(value, REDACTED);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) return '[too deep]';
  try {
    if (value instanceof Error) return cleanError(value, depth);
    if (Array.isArray(value)) return cleanList(value, depth);
    if (value instanceof Headers || value instanceof Map) return members(Object.fromEntries(value), depth);
    return isPlain(value) ? members(value, depth) : cleanJson(value, depth);
  } catch {
    // What is logged may come from broken code, where even looking at it throws.
    return '[unreadable]';
  }
}

function cleanList(list: readonly unknown[], depth: number): readonly unknown[] {
  const clean = list.map((item) => valueOf(item, depth + 1));
  return clean.some((item, i) => item !== list[i]) ? clean : list;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** What is no plain data, such as a date or an address, is looked at as JSON has it. */
function cleanJson(value: object, depth: number): unknown {
  const json: unknown = JSON.parse(JSON.stringify(value) ?? 'null');
  return valueOf(json, depth + 1);
}

/** Still an error, for loggers that know how to write one. */
function cleanError(error: Error, depth: number): Error {
  const message = withoutSecrets(error.message, REDACTED);
  const stack = typeof error.stack === 'string' ? withoutSecrets(error.stack, REDACTED) : undefined;
  const cause = valueOf(error.cause, depth + 1);
  const own = members(error, depth);
  if (message === error.message && stack === error.stack && cause === error.cause && own === error) return error;
  const clean = new Error(message, cause === undefined ? undefined : { cause });
  Object.assign(clean, own, { name: error.name, message });
  if (stack !== undefined) clean.stack = stack;
  return clean;
}
