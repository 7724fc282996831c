import { CliError } from './cli-error.ts';

/** Returns the port of the option, otherwise that of the environment. */
export function readPort(option: string | undefined): number | undefined {
  const [name, text] = option === undefined ? ['PORT', process.env['PORT'] || undefined] : ['--port', option];
  if (text === undefined) return undefined;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new CliError('usage', `${name} must be a number from 0 to 65535, not ${JSON.stringify(text)}`);
}

/** Returns an HTTP URL. @throws CliError that quotes the invalid text. */
export function readAddress(what: string, text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new CliError('usage', `${what} must be a URL that starts with http:// or https://, not ${text}`);
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Returns `30`, `30s`, `500ms`, `5m` or `1h` in milliseconds. A number without a unit means seconds. */
export function readDuration(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, amount = '', unit = 's'] = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text) ?? [];
  const ms = amount === '' ? Number.NaN : Number(amount) * (UNITS[unit] ?? 0);
  if (ms > 0 && ms < 2 ** 31) return ms;
  throw new CliError('usage', `--${name} must be a time such as 30s, 500ms or 5m, not ${JSON.stringify(text)}`);
}

export function readCount(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new CliError('usage', `--${name} must be a whole number, not ${JSON.stringify(text)}`);
}

/** Returns the one of the known words that the text is. */
function readChoice<T extends string>(name: string, text: string | undefined, known: readonly T[]): T | undefined {
  if (text === undefined) return undefined;
  const found = known.find((word) => word === text.toLowerCase());
  if (found !== undefined) return found;
  throw new CliError('usage', `--${name} must be one of ${known.join(', ')}, not ${JSON.stringify(text)}`);
}

/** Parses JSON. @throws CliError that names the source of the text. */
export function readJson(what: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new CliError('usage', `${what} is not valid JSON`, { cause });
  }
}

/** Whether the result is to be printed as JSON. */
export function wantsJson({ output }: { readonly output: string | undefined }): boolean {
  return readChoice('output', output, ['text', 'json']) === 'json';
}

/** Returns the only argument of a command. @throws CliError with the usage if there is none, or more than one. */
export function onlyArgument([argument, ...others]: readonly string[], usage: string): string {
  if (argument !== undefined && argument !== '' && others.length === 0) return argument;
  throw new CliError('usage', usage);
}

/** @throws CliError if words are left over. */
export function expectNoMore(rest: readonly string[], synopsis: string): void {
  if (rest.length > 0)
    throw new CliError('usage', `Unexpected argument ${JSON.stringify(rest[0])}. Usage: tandem ${synopsis}`);
}
