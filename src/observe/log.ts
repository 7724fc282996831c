/** Where the library tells its operator what callers must not see. Anything with these methods will do. */
export interface Log {
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

export type LogFields = Readonly<Record<string, unknown>>;

export const silentLog: Log = { info() {}, warn() {}, error() {} };

/** The message about a handler that threw. Its author needs the stack, so logs on a terminal show it. */
export const HANDLER_FAILED = 'A handler failed';
