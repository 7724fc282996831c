import { parseArgs, type ParseArgsConfig } from 'node:util';
import { nearest } from '../support/nearest.ts';
import { CliError } from './cli-error.ts';
import { type Layer, settingLayers } from './environment.ts';
import {
  type Arguments,
  type Command,
  type Option,
  type Options,
  type Token,
  type Values,
  variableOf,
} from './option.ts';

type Given = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

/**
 * Parses the arguments of a command. Options that are not set there come from the environment and from settings files.
 *
 * @throws CliError that suggests the nearest option.
 */
export function readArguments<T extends Options>(
  args: readonly string[],
  options: T,
  aliases: Command['aliases'] = {},
): Arguments<T> {
  const { values: flags, positionals, tokens } = parse(args, options, aliases);
  const given: Given = Object.fromEntries(Object.entries(flags).map(([name, value]) => [aliases[name] ?? name, value]));
  const config = given['config'];
  const layers = settingLayers(typeof config === 'string' ? config : undefined);
  const values: Record<string, unknown> = {};
  const sources: Record<string, string> = {};
  for (const [name, option] of Object.entries(options)) {
    const found = given[name] === undefined ? fromLayers(name, option, layers) : { value: given[name], source: 'flag' };
    values[name] = found?.value ?? emptyOf(option);
    sources[name] = found?.source ?? 'default';
  }
  return { values: values as Values<T>, positionals, tokens, sources };
}

function parse(
  args: readonly string[],
  options: Options,
  aliases: NonNullable<Command['aliases']>,
): { values: Given; positionals: readonly string[]; tokens: readonly Token[] } {
  const config: NonNullable<ParseArgsConfig['options']> = {};
  for (const [name, { value, short, multiple = false }] of Object.entries(options)) {
    const type = value === undefined ? 'boolean' : 'string';
    config[name] = short === undefined ? { type, multiple } : { type, short, multiple };
  }
  for (const [alias, name] of Object.entries(aliases)) {
    const { short: _, ...meant } = config[name] ?? { type: 'boolean' };
    config[alias] = meant;
  }
  try {
    const { values, positionals, tokens } = parseArgs({
      args: [...args],
      options: config,
      allowPositionals: true,
      tokens: true,
    });
    return {
      values: values as Given,
      positionals,
      tokens: tokens.filter((token) => token.kind !== 'option-terminator'),
    };
  } catch (error) {
    throw new CliError('usage', explain(error as NodeJS.ErrnoException, Object.keys(options)), { cause: error });
  }
}

function emptyOf({ value, multiple }: Option): unknown {
  if (multiple === true) return [];
  return value === undefined ? false : undefined;
}

function fromLayers(
  name: string,
  option: Option,
  layers: readonly Layer[],
): { readonly value: unknown; readonly source: string } | undefined {
  if (option.flagOnly === true) return undefined;
  const variable = variableOf(name);
  for (const layer of layers) {
    const text = layer.variables[variable];
    if (text === undefined || text === '') continue;
    return { value: valueOf(text, option, variable), source: `${variable} (${layer.name})` };
  }
  return undefined;
}

function valueOf(text: string, { value, multiple }: Option, variable: string): unknown {
  if (value !== undefined) return multiple === true ? text.split(',').map((item) => item.trim()) : text;
  if (/^(?:1|true|yes|on)$/i.test(text)) return true;
  if (/^(?:0|false|no|off)$/i.test(text)) return false;
  throw new CliError('usage', `${variable} must be true or false, not ${JSON.stringify(text)}`);
}

function explain({ code, message }: NodeJS.ErrnoException, known: readonly string[]): string {
  const [sentence = message] = message.split('\n');
  if (code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION') return sentence;
  const option = /'(-[^']*)'/.exec(sentence)?.[1] ?? 'this';
  const meant = nearest(option.replace(/^-+/, ''), known);
  const advice = meant === undefined ? `known options: ${known.map((name) => `--${name}`).join(', ')}` : '';
  return `Unknown option ${option}; ${advice || `did you mean --${meant}?`}`;
}
