import type { Log, LogFields } from '../../src/observe/log.ts';

interface Line {
  readonly level: string;
  readonly message: string;
  readonly fields: LogFields | undefined;
}

/** A log that keeps what it is told. */
export function keptLog(): Log & { readonly lines: Line[] } {
  const lines: Line[] = [];
  const at = (level: string) => (message: string, fields?: LogFields) => void lines.push({ level, message, fields });
  return { lines, info: at('info'), warn: at('warn'), error: at('error') };
}
