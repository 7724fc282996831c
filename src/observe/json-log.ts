import { errorText } from './console-log.ts';
import type { Log, LogFields } from './log.ts';

/** Writes each event as one line of JSON, with the member names of pino, so that log collectors can parse it. */
export function jsonLog(write: (line: string) => void, now: () => number = Date.now): Log {
  const at =
    (level: string) =>
    (message: string, fields: LogFields = {}): void =>
      write(`${lineOf({ level, time: new Date(now()).toISOString(), msg: message }, fields)}\n`);
  return { info: at('info'), warn: at('warn'), error: at('error') };
}

/** Never throws, because fields may come from broken code. */
function lineOf(head: Readonly<Record<string, string>>, fields: LogFields): string {
  const { error, ...others } = fields;
  const all = { ...others, ...(error !== undefined && { err: errorOf(error) }), ...head };
  try {
    return JSON.stringify({ ...head, ...all }, (_, value: unknown) =>
      value instanceof Error ? errorOf(value) : value,
    );
  } catch {
    return JSON.stringify({ ...head, fields: 'unreadable' });
  }
}

function errorOf(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  return {
    type: error.name,
    message: errorText(error),
    ...(typeof error.stack === 'string' && { stack: error.stack }),
  };
}
