import type { Log, LogFields } from './log.ts';

/** Long enough for an error with its causes; what quotes a whole body is cut. */
const MAX_VALUE = 2000;

/** Causes of causes that are told: they can go round in a circle. */
const MAX_CAUSES = 5;

/** Warnings and errors, a line each, on the console. What only informs is left out. */
export const consoleLog: Log = {
  info() {},
  warn: (message, fields) => console.warn(logLine('warning', message, fields)),
  error: (message, fields) => console.error(logLine('error', message, fields)),
};

/** Never throws, and never gives more than a line: what is logged may come from a stranger, or from broken code. */
export function logLine(level: string, message: string, fields: LogFields = {}): string {
  const more = Object.entries(fields).map(([name, value]) => ` ${name}=${valueText(value)}`);
  return `tandem ${level}: ${message}${more.join('')}`.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ');
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
