import { parseArgs } from 'node:util';
import { nearest } from '../support/nearest.ts';
import { CliError } from './cli-error.ts';
import { type Layer, settingLayers } from './environment.ts';
import { type Arguments, type Option, type Options, type Token, type Values, variableOf } from './option.ts';

type Given = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

/**
 * Parses the arguments of a command. Options that are not set there come from the environment and from settings files.
 *
 * @throws CliError that suggests the nearest option.
 */
export function readArguments<T extends Options>(args: readonly string[], options: T): Arguments<T> {
  const { values: flags, positionals, tokens } = parse(args, options);
  const given = withoutAliases(flags, options);
  const config = given['config'];
  const layers = settingLayers(typeof config === 'string' ? config : undefined);
  const values: Record<string, unknown> = {};
  const sources: Record<string, string> = {};
  for (const [name, option] of Object.entries(options)) {
    if (option.aliasOf !== undefined) continue;
    const found = given[name] === undefined ? fromLayers(name, option, layers) : { value: given[name], source: 'flag' };
    values[name] = found?.value ?? emptyOf(option);
    sources[name] = found?.source ?? 'default';
  }
  return { values: values as Values<T>, positionals, tokens, sources };
}

function parse(
  args: readonly string[],
  options: Options,
): { values: Given; positionals: readonly string[]; tokens: readonly Token[] } {
  const config = Object.fromEntries(
    Object.entries(options).map(([name, { type, short, multiple = false }]) => [
      name,
      short === undefined ? { type, multiple } : { type, short, multiple },
    ]),
  );
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
    const known = Object.keys(options).filter((name) => options[name]?.aliasOf === undefined);
    throw new CliError('usage', explain(error as NodeJS.ErrnoException, known), { cause: error });
  }
}

function withoutAliases(given: Given, options: Options): Given {
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [options[name]?.aliasOf ?? name, value]));
}

function emptyOf({ type, multiple }: Option): unknown {
  if (multiple === true) return [];
  return type === 'boolean' ? false : undefined;
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

function valueOf(text: string, { type, multiple }: Option, variable: string): unknown {
  if (type === 'string') return multiple === true ? text.split(',').map((item) => item.trim()) : text;
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
