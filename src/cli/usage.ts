import { CALL_OPTIONS } from './agents/call-options.ts';
import { type Command, EVERYWHERE, type Option } from './option.ts';

/** Returns the help text of a command. */
export function usageOf({ synopsis, about, examples = [], options }: Command): string {
  const all = Object.entries({ ...options, ...EVERYWHERE });
  const own = all.filter((entry) => !isCommon(entry));
  const common = all.filter(isCommon);
  const width = Math.max(...all.map(([name, option]) => leftOf(name, option).length)) + 2;
  const list = (entries: typeof all): string =>
    entries.map(([name, option]) => `  ${leftOf(name, option).padEnd(width)}${option.help}`).join('\n');
  return [
    `Usage: tandem ${synopsis} [options]`,
    about,
    ...(examples.length === 0 ? [] : [`Examples:\n${examples.map((example) => `  ${example}`).join('\n')}`]),
    `Options:\n${list(own)}`,
    ...(common.length === 0 ? [] : [`Options of every command that calls an agent:\n${list(common)}`]),
  ]
    .join('\n\n')
    .concat('\n');
}

/** Whether an option is one of those that all commands that call an agent share. */
function isCommon([name, option]: readonly [string, Option]): boolean {
  return CALL_OPTIONS[name as keyof typeof CALL_OPTIONS] === option;
}

function leftOf(name: string, { short, value }: Option): string {
  const flag = short === undefined ? `--${name}` : `-${short}, --${name}`;
  return value === undefined ? flag : `${flag} ${value}`;
}
