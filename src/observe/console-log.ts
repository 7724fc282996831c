import { HANDLER_FAILED, type Log, type LogFields } from './log.ts';

/** Long enough for an error with its causes; what quotes a whole body is cut. */
const MAX_VALUE = 2000;

/** Lines of the stack of a handler that are shown. */
const MAX_STACK_LINES = 20;

/** Causes of causes that are told: they can go round in a circle. */
const MAX_CAUSES = 5;

/** Warnings and errors on the console, a line each; the error of a handler has its stack below. What only informs is left out. */
export const consoleLog: Log = {
  info() {},
  warn: (message, fields) => console.warn(logLine('warning', message, fields)),
  error: (message, fields) => console.error(errorLines(message, fields).join('\n')),
};

/** An error as its line, or as two pieces if a handler threw: the error with its stack, and the ids. */
export function errorLines(message: string, fields: LogFields = {}): readonly string[] {
  const { error, ...ids } = fields;
  if (message !== HANDLER_FAILED || !(error instanceof Error)) return [logLine('error', message, fields)];
  const lines = stackText(error).split(/[\r\n\u2028\u2029]+/u, MAX_STACK_LINES);
  if (error.cause !== undefined) lines.push(`caused by ${valueText(error.cause)}`);
  // Indented, so that no message of an error can look like a line of the log.
  const shown = lines.map((line) => `    ${oneLine(line)}`);
  return [[`tandem error: ${message}`, ...shown].join('\n'), `   ${fieldsText(ids)}`];
}

function stackText(error: Error): string {
  try {
    const text = typeof error.stack === 'string' && error.stack !== '' ? error.stack : errorText(error);
    return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
  } catch {
    return 'unreadable';
  }
}

/** Never throws, and never gives more than a line: what is logged may come from a stranger, or from broken code. */
export function logLine(level: string, message: string, fields: LogFields = {}): string {
  return oneLine(`tandem ${level}: ${message}${fieldsText(fields)}`);
}

function fieldsText(fields: LogFields): string {
  return oneLine(
    Object.entries(fields)
      .map(([name, value]) => ` ${name}=${valueText(value)}`)
      .join(''),
  );
}

function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ');
}

function valueText(value: unknown): string {
  try {
    const text = value instanceof Error ? JSON.stringify(errorText(value)) : (JSON.stringify(value) ?? String(value));
    return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
  } catch {
    return 'unreadable';
  }
}

/** No stack: most of what is logged comes from a store or the network, and its causes say more. */
export function errorText(error: Error): string {
  const texts: string[] = [];
  let next: unknown = error;
  while (next !== undefined && texts.length < MAX_CAUSES) {
    texts.push(next instanceof Error ? namedText(next) : typeof next === 'string' ? next : JSON.stringify(next));
    next = next instanceof Error ? next.cause : undefined;
  }
  return texts.join(', because of ');
}

function namedText(error: Error): string {
  const code = 'code' in error && typeof error.code === 'string' ? ` ${error.code}` : '';
  return `${error.name}${code}: ${error.message}`;
}
