import { parseArgs, type ParseArgsConfig } from 'node:util';
import { nearest } from '../support/nearest.ts';
import { CliError } from './cli-error.ts';

type Options = NonNullable<ParseArgsConfig['options']>;
type Arguments<T extends Options> = ReturnType<typeof parseArgs<{ options: T; allowPositionals: true }>>;

/** What stands after a command. @throws CliError that says which option was probably meant. */
export function readArguments<T extends Options>(args: readonly string[], options: T): Arguments<T> {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new CliError('usage', explain(error as NodeJS.ErrnoException, Object.keys(options)), { cause: error });
  }
}

function explain({ code, message }: NodeJS.ErrnoException, known: readonly string[]): string {
  const [sentence = message] = message.split('\n');
  if (code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION') return sentence;
  const option = /'(-[^']*)'/.exec(sentence)?.[1] ?? 'this';
  const meant = nearest(option.replace(/^-+/, ''), known);
  const advice = meant === undefined ? `known are ${known.map((name) => `--${name}`).join(', ')}` : '';
  return `There is no option ${option}; ${advice || `did you mean --${meant}?`}`;
}

/** The port that was asked for: by option, else by the environment. */
export function readPort(option: string | undefined): number | undefined {
  const [name, text] = option === undefined ? ['PORT', process.env['PORT'] || undefined] : ['--port', option];
  if (text === undefined) return undefined;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new CliError('usage', `${name} must be a number from 0 to 65535, not ${JSON.stringify(text)}`);
}

/** An address of HTTP, or an error that names what was given. */
export function readAddress(what: string, text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new CliError('usage', `${what} must be an address that starts with http:// or https://, not ${text}`);
}
