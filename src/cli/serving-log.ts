import { errorLines, logLine } from '../observe/console-log.ts';
import { jsonLog } from '../observe/json-log.ts';
import { type Log, type LogFields, silentLog } from '../observe/log.ts';
import { CliError } from './cli-error.ts';
import { screen, type Style } from './screen.ts';

/** The options of commands that serve. */
export const LOG_OPTIONS = {
  log: {
    type: 'string',
    value: '<form>',
    help: 'json, pretty or silent. Unless set: pretty on a terminal, else json, a line each on stderr',
  },
  'log-level': {
    type: 'string',
    value: '<level>',
    help: 'The least that is logged: info, warn or error; info unless set',
  },
} as const;

interface LogValues {
  readonly log: string | undefined;
  readonly 'log-level': string | undefined;
}

/** How a program that serves tells what happens. */
export interface ServingLog {
  readonly log: Log;
  /** Says what people want to know, in the form of the log. */
  readonly tell: (text: string) => void;
}

const LEVELS = ['info', 'warn', 'error'] as const;
const STYLES: Readonly<Record<string, Style>> = { info: 'dim', warn: 'yellow', error: 'red' };

/** @throws CliError */
export function servingLog(values: LogValues): ServingLog {
  const { log: form = screen.isWatched ? 'pretty' : 'json', 'log-level': level = 'info' } = values;
  const least = LEVELS.findIndex((each) => each === level);
  if (least < 0) throw new CliError('usage', `--log-level must be ${LEVELS.join(', ')}, not ${level}`);
  const plainly = (text: string): void => void process.stderr.write(`${text}\n`);
  switch (form) {
    case 'json': {
      const log = jsonLog((line) => void process.stderr.write(line));
      return { log: from(log, least), tell: (text) => log.info(text) };
    }
    case 'pretty':
      return { log: from(prettyLog, least), tell: plainly };
    case 'silent':
      return { log: silentLog, tell: () => {} };
    default:
      throw new CliError('usage', `--log must be json, pretty or silent, not ${form}`);
  }
}

const prettyLog: Log = { info: told('info'), warn: told('warn'), error: tellError };

function tellError(message: string, fields?: LogFields): void {
  const [line = '', ids] = errorLines(message, fields);
  screen.tell(line, STYLES['error']);
  if (ids !== undefined) screen.tell(ids, 'dim');
}

function told(level: 'info' | 'warn'): Log['info'] {
  const word = level === 'warn' ? 'warning' : level;
  return (message, fields) => screen.tell(logLine(word, message, fields), STYLES[level]);
}

function from(log: Log, least: number): Log {
  const { info, warn, error } = silentLog;
  return { info: least < 1 ? log.info : info, warn: least < 2 ? log.warn : warn, error: least < 3 ? log.error : error };
}
