import { errorLines, logLine } from '../../observe/console-log.ts';
import { jsonLog } from '../../observe/json-log.ts';
import { type Log, type LogFields, silentLog } from '../../observe/log.ts';
import { CliError } from '../cli-error.ts';
import type { Values } from '../option.ts';
import { screen, type Style } from '../output/screen.ts';

/** The log options of commands that serve an agent. */
export const LOG_OPTIONS = {
  log: {
    value: '<json|pretty|silent>',
    help: 'The format of the log on stderr. Default: pretty on a terminal, otherwise json',
  },
  'log-level': { value: '<info|warn|error>', help: 'The lowest level that is logged. Default: info' },
} as const;

/** The log of a command that serves an agent. */
export interface ServingLog {
  readonly log: Log;
  /** Prints a message for the user in the format of the log, at every level. */
  readonly announce: (text: string) => void;
}

const LEVELS = ['info', 'warn', 'error'] as const;
const STYLES: Readonly<Record<string, Style>> = { info: 'dim', warn: 'yellow', error: 'red' };

/** @throws CliError if an option has an unknown value. */
export function servingLog(values: Values<typeof LOG_OPTIONS>): ServingLog {
  const { log: form = screen.isTerminal ? 'pretty' : 'json', 'log-level': level = 'info' } = values;
  const least = LEVELS.findIndex((each) => each === level);
  if (least < 0) throw new CliError('usage', `--log-level must be info, warn or error, not ${JSON.stringify(level)}`);
  switch (form) {
    case 'json': {
      const log = jsonLog((line) => void process.stderr.write(line));
      return { log: from(log, least), announce: (text) => log.info(text) };
    }
    case 'pretty':
      return { log: from(prettyLog, least), announce: (text) => void process.stderr.write(`${text}\n`) };
    case 'silent':
      return { log: silentLog, announce: () => {} };
    default:
      throw new CliError('usage', `--log must be json, pretty or silent, not ${JSON.stringify(form)}`);
  }
}

/** Prints events for people: one line each, and below a handler error its stack and its ids. */
export const prettyLog: Log = {
  info: (message, fields) => screen.notice(logLine('info', message, fields), STYLES['info']),
  warn: (message, fields) => screen.notice(logLine('warning', message, fields), STYLES['warn']),
  error: printError,
};

function printError(message: string, fields?: LogFields): void {
  const [line = '', ids] = errorLines(message, fields);
  screen.notice(line, STYLES['error']);
  if (ids !== undefined) screen.notice(ids, 'dim');
}

function from(log: Log, least: number): Log {
  const { info, warn, error } = silentLog;
  return { info: least < 1 ? log.info : info, warn: least < 2 ? log.warn : warn, error: least < 3 ? log.error : error };
}
