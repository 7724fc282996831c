import { inspect } from 'node:util';
import { CliError } from '../cli-error.ts';
import { settingLayers } from '../environment.ts';
import { errorEnvelope } from './error-report.ts';
import { variableOf } from '../option.ts';
import { screen } from '../output/screen.ts';

/** Prints an error in the output format of the command, and ends the process. */
export function reportFailure(error: unknown, words: readonly string[]): void {
  screen.hideProgress();
  screen.endLine();
  if (wantsJson(words)) screen.writeJsonLine(errorEnvelope(error));
  const isExpected = error instanceof CliError;
  screen.notice(`tandem: ${error instanceof Error ? error.message : String(error)}`, 'red');
  if (isExpected && error.hint !== undefined) screen.notice(error.hint, 'dim');
  if (words.includes('--debug') || setting('debug') === 'true') screen.notice(inspect(error), 'dim');
  else if (!isExpected) screen.notice('This is a bug in tandem. Run the command with --debug for the stack.', 'dim');
  if (isExpected && error.docs !== undefined) screen.notice(`See ${error.docs}`, 'dim');
  // Exits explicitly, because handles opened by the file of a user would keep the process alive.
  process.stderr.write('', () => process.exit(isExpected ? error.exitCode : 1));
}

/** Searches the raw arguments, because they may be the part that is invalid. */
function wantsJson(words: readonly string[]): boolean {
  const index = words.findIndex((word) => word === '-o' || word === '--output');
  if (index >= 0) return words[index + 1] === 'json';
  if (words.some((word) => word === '-ojson' || word === '--output=json')) return true;
  return !words.some((word) => word.startsWith('--output=')) && setting('output') === 'json';
}

function setting(name: string): string | undefined {
  try {
    const layers = settingLayers(undefined);
    return layers.map(({ variables }) => variables[variableOf(name)]).find((text) => text !== undefined && text !== '');
  } catch {
    return undefined;
  }
}
