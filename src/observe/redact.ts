import { isSecretName } from '../support/secret/secret-names.ts';
import { withoutSecrets } from '../support/secret/secret-texts.ts';
import type { LogFields } from './log.ts';

const REDACTED = '[redacted]';

/** The maximum length of a text in a log line. Handlers quote callers in error messages, and callers may send megabytes. */
const MAX_TEXT = 8192;

/** How many characters after the cut are searched, so that a secret that spans the cut is recognised. */
const OVERLAP = 512;

/** The maximum length of the message inside a stack, so that the frames below it are kept. */
const MAX_MESSAGE_IN_STACK = 1024;

/** The maximum nesting. Values may be circular, and deeper ones are of no use in a log. */
const MAX_DEPTH = 8;

/**
 * Replaces everything that looks like a secret, by its name or its value, at any depth. Values without secrets are returned
 * as the same object, so that loggers still recognise their type.
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
  if (typeof value === 'string') return cleanText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) return '[too deep]';
  try {
    if (value instanceof Error) return cleanError(value, depth);
    if (Array.isArray(value)) return cleanList(value, depth);
    if (value instanceof Headers || value instanceof Map) return members(Object.fromEntries(value), depth);
    return isPlain(value) ? members(value, depth) : cleanJson(value, depth);
  } catch {
    // Fields may come from broken code, where even a property access throws.
    return '[unreadable]';
  }
}

/** Cuts the text before searching it, because the search takes time in proportion to its length. */
function cleanText(text: string): string {
  if (text.length <= MAX_TEXT) return withoutSecrets(text, REDACTED);
  const clean = withoutSecrets(text.slice(0, MAX_TEXT + OVERLAP), REDACTED);
  return `${clean.slice(0, MAX_TEXT)}… [${text.length - MAX_TEXT} characters cut]`;
}

function cleanList(list: readonly unknown[], depth: number): readonly unknown[] {
  const clean = list.map((item) => valueOf(item, depth + 1));
  return clean.some((item, i) => item !== list[i]) ? clean : list;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Checks the JSON form of values that are not plain data, such as dates and URLs. */
function cleanJson(value: object, depth: number): unknown {
  const json: unknown = JSON.parse(JSON.stringify(value) ?? 'null');
  return valueOf(json, depth + 1);
}

/** Returns an `Error`, so that loggers still serialize it as one. */
function cleanError(error: Error, depth: number): Error {
  const message = cleanText(error.message);
  const stack = typeof error.stack === 'string' ? cleanStack(error.stack, error.message, message) : undefined;
  const cause = valueOf(error.cause, depth + 1);
  const own = members(error, depth);
  if (message === error.message && stack === error.stack && cause === error.cause && own === error) return error;
  const clean = new Error(message, cause === undefined ? undefined : { cause });
  Object.assign(clean, own, { name: error.name, message });
  if (stack !== undefined) clean.stack = stack;
  return clean;
}

function cleanStack(stack: string, message: string, cleanMessage: string): string {
  const at = message.length > MAX_TEXT ? stack.indexOf(message) : -1;
  if (at < 0) return cleanText(stack);
  const quoted = `${cleanMessage.slice(0, MAX_MESSAGE_IN_STACK)}…`;
  return cleanText(stack.slice(0, at) + quoted + stack.slice(at + message.length));
}
