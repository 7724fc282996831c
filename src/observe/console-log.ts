import { A2AError, errorDocs } from '../errors.ts';
import { nodeProcess } from '../support/node-process.ts';
import { HANDLER_FAILED, type Log, type LogFields } from './log.ts';

/** The maximum length of a value. Enough for an error with its causes; an error that quotes a whole body is truncated. */
const MAX_VALUE = 2000;

/** The maximum number of stack lines printed for a handler error. */
const MAX_STACK_LINES = 20;

/** The maximum length of a chain of causes, which can be circular. */
const MAX_CAUSES = 5;

/** Prints each warning and error on one line of the console, and the stack below a handler error. Drops `info` events. */
export const consoleLog: Log = {
  info() {},
  warn: (message, fields) => console.warn(logLine('warning', message, fields)),
  error: (message, fields) => {
    const [line = '', ids] = errorLines(message, fields);
    console.error(ids === undefined ? line : `${line}\n${dimmed(ids)}`);
  },
};

/** Dim on a terminal with colours, otherwise unchanged. */
function dimmed(text: string): string {
  const node = nodeProcess();
  return node?.stderr.isTTY === true && node.stderr.hasColors()
    ? node.getBuiltinModule('node:util').styleText('dim', text, { validateStream: false })
    : text;
}

/** Formats an error event as one line. A handler error becomes two pieces: the error with its stack, and the ids. */
export function errorLines(message: string, fields: LogFields = {}): readonly string[] {
  const { error, ...ids } = fields;
  if (message !== HANDLER_FAILED || !(error instanceof Error)) return [logLine('error', message, fields)];
  const lines = stackText(error).split(/[\r\n\u2028\u2029]+/u, MAX_STACK_LINES);
  if (error.cause !== undefined) lines.push(`caused by ${valueText(error.cause)}`);
  // Indented, so that an error message cannot pass for a log line.
  const shown = lines.map((line) => `    ${oneLine(line)}`);
  const docs = A2AError.is(error) ? [`    see ${errorDocs(error.code)}`] : [];
  return [[`tandem error: ${message}`, ...shown, ...docs].join('\n'), `   ${fieldsText(ids)}`];
}

function stackText(error: Error): string {
  try {
    const text = typeof error.stack === 'string' && error.stack !== '' ? error.stack : errorText(error);
    return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
  } catch {
    return 'unreadable';
  }
}

/** Never throws and never returns more than one line, because fields may come from untrusted callers or broken code. */
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

/** The error with its causes, without a stack: most errors come from a store or the network, where the causes are more useful. */
export function errorText(error: Error): string {
  const texts: string[] = [];
  let next: unknown = error;
  while (next !== undefined && texts.length < MAX_CAUSES) {
    texts.push(next instanceof Error ? namedText(next) : typeof next === 'string' ? next : JSON.stringify(next));
    next = next instanceof Error ? next.cause : undefined;
  }
  return texts.join(', caused by ');
}

function namedText(error: Error): string {
  const code = 'code' in error && typeof error.code === 'string' ? ` ${error.code}` : '';
  const docs = A2AError.is(error) ? ` (see ${errorDocs(error.code)})` : '';
  return `${error.name}${code}: ${error.message}${docs}`;
}
