import type { Log, LogFields } from './log.ts';

/** A logger that takes the fields first, as pino does and what is made of it, such as the one of Fastify. */
export interface PinoLike {
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
  child(bindings: LogFields): unknown;
  bindings(): unknown;
}

/** By what only such loggers have: their types fit into ours, but they would drop the fields without a word. */
export function isPinoLike(log: unknown): log is PinoLike {
  const { child, bindings } = log as Partial<PinoLike>;
  return typeof child === 'function' && typeof bindings === 'function';
}

/** Errors go under `err`, the name under which such loggers know how to write them. */
export function pinoLog(pino: PinoLike): Log {
  const write =
    (level: 'info' | 'warn' | 'error') =>
    (message: string, fields: LogFields = {}): void => {
      const { error, ...others } = fields;
      pino[level](error === undefined ? others : { ...others, err: error }, message);
    };
  return { info: write('info'), warn: write('warn'), error: write('error') };
}
