import { inspect } from 'node:util';
import type { Log, LogFields } from '../observe/log.ts';

/** Warnings and errors, a line each with what belongs to them, on stderr. What only informs is left out. */
export const stderrLog: Log = {
  info() {},
  warn: (message, fields) => write('warning', message, fields),
  error: (message, fields) => write('error', message, fields),
};

const MAX_DEPTH = 5;
const MAX_CAUSES = 5;
const ON_ONE_LINE = { depth: MAX_DEPTH, compact: true, breakLength: Number.POSITIVE_INFINITY } as const;

function write(level: string, message: string, fields: LogFields | undefined): void {
  const more = fields === undefined ? '' : ` ${shown(fields)}`;
  process.stderr.write(`${oneLine(`tandem ${level}: ${message}${more}`)}\n`);
}

/** Errors can come from an author's code, where even looking at them may throw. */
function shown(fields: LogFields): string {
  try {
    return inspect(withErrorTexts(fields, MAX_DEPTH), ON_ONE_LINE);
  } catch {
    return `{ ${Object.keys(fields).join(', ')}: cannot be shown }`;
  }
}

/** With a text in place of each error, whose stack would take many lines. */
function withErrorTexts(value: unknown, depth: number): unknown {
  if (value instanceof Error) return errorText(value, MAX_CAUSES);
  if (depth === 0 || !isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withErrorTexts(member, depth - 1)]));
}

function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** Its name, message and code, and what caused it. An error may be its own cause. */
function errorText(error: Error, causes: number): string {
  const { name, message, cause, code } = error as NodeJS.ErrnoException;
  const text = message === '' ? name : `${name}: ${message}`;
  const coded = code === undefined ? text : `${text} (${code})`;
  if (cause === undefined || causes === 0) return oneLine(coded);
  return oneLine(`${coded}, because ${causeText(cause, causes - 1)}`);
}

function causeText(cause: unknown, causes: number): string {
  if (cause instanceof Error) return errorText(cause, causes);
  return typeof cause === 'string' ? cause : inspect(cause, ON_ONE_LINE);
}

function oneLine(text: string): string {
  return text.replaceAll(/\s*[\r\n\u2028\u2029]+\s*/g, ' ');
}
