import { inspect } from 'node:util';
import type { Log, LogFields } from '../observe/log.ts';

/** Warnings and errors, a line each with what belongs to them, on stderr. What only informs is left out. */
export const stderrLog: Log = {
  info() {},
  warn: (message, fields) => write('warning', message, fields),
  error: (message, fields) => write('error', message, fields),
};

function write(level: string, message: string, fields: LogFields | undefined): void {
  const more = fields === undefined ? '' : ` ${inspect(fields, { depth: 5, breakLength: Number.POSITIVE_INFINITY })}`;
  process.stderr.write(`tandem ${level}: ${message}${more}\n`);
}
