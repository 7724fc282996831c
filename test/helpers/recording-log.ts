import type { Log, LogFields } from '../../src/observe/log.ts';

interface Line {
  readonly level: string;
  readonly message: string;
  readonly fields: LogFields | undefined;
}

/** A log that records its lines. */
export function recordingLog(): Log & { readonly lines: Line[] } {
  const lines: Line[] = [];
  const at = (level: string) => (message: string, fields?: LogFields) => void lines.push({ level, message, fields });
  return { lines, info: at('info'), warn: at('warn'), error: at('error') };
}
