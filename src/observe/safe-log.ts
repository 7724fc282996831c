import { isPinoLike, pinoLog } from './pino-log.ts';
import type { Log } from './log.ts';
import { redacted } from './redact.ts';

/** A log as somebody gave it, in our order of arguments, which no secret gets through to and which never throws. */
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
      // That nobody could write down what happened must not change what happens.
    }
  };
}
