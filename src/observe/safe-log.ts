import type { Log, LogFields } from './log.ts';
import { redacted } from './redact.ts';

/** Wraps the log of the user: takes our argument order, redacts secrets and never throws. */
export function safeLog(given: Log): Log {
  const log = isPinoLike(given) ? pinoLog(given) : given;
  return { info: safely(log, 'info'), warn: safely(log, 'warn'), error: safely(log, 'error') };
}

function safely(log: Log, level: keyof Log): Log[keyof Log] {
  return (message, fields) => {
    try {
      if (fields === undefined) log[level](message);
      else log[level](message, redacted(fields));
    } catch {
      // A failing log must not affect the operation that is logged.
    }
  };
}

/** A logger that takes the fields first, such as pino and the logger of Fastify. */
interface PinoLike {
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
  child(bindings: LogFields): unknown;
  bindings(): unknown;
}

/** Recognises pino by its methods. Its type matches `Log`, but in our argument order it would silently drop the fields. */
function isPinoLike(log: unknown): log is PinoLike {
  const { child, bindings } = log as Partial<PinoLike>;
  return typeof child === 'function' && typeof bindings === 'function';
}

/** Passes errors as `err`, the member that pino serializes as an error. */
function pinoLog(pino: PinoLike): Log {
  const write =
    (level: 'info' | 'warn' | 'error') =>
    (message: string, fields: LogFields = {}): void => {
      const { error, ...others } = fields;
      pino[level](error === undefined ? others : { ...others, err: error }, message);
    };
  return { info: write('info'), warn: write('warn'), error: write('error') };
}
