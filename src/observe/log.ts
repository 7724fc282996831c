/**
 * Receives log events, including details that callers must not see. Pass `console`, a pino logger, or any object with these
 * three methods. Handlers, webhook handlers and the SQLite store redact secrets before they call it, and ignore errors it throws.
 *
 * The text of an event never contains variable parts; these are in `fields`, so that events can be filtered by their text.
 */
export interface Log {
  /** Logs an event of normal operation. */
  info(message: string, fields?: LogFields): void;
  /** Logs a problem that the library handled, such as a delivery that it will retry. */
  warn(message: string, fields?: LogFields): void;
  /** Logs a problem that needs attention. `fields.error` contains the error, if there is one. */
  error(message: string, fields?: LogFields): void;
}

/** The facts of a log event, by name. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Discards all events. */
export const silentLog: Log = { info() {}, warn() {}, error() {} };

/** The event of a handler that threw. The author of the handler needs the stack, so logs on a terminal print it. */
export const HANDLER_FAILED = 'A handler failed';
