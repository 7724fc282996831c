import { screen } from './screen.ts';

/** Prints the result of a command as one JSON document. */
export function giveJson(value: unknown): void {
  screen.give(`${JSON.stringify(value, undefined, 2)}\n`);
}

/** Prints one of several JSON documents on a line of its own. */
export function giveJsonLine(value: unknown): void {
  screen.give(`${JSON.stringify(value)}\n`);
}
