import { screen } from './screen.ts';

/** Prints the result of a command as one JSON document. */
export function printJson(value: unknown): void {
  screen.write(`${JSON.stringify(value, undefined, 2)}\n`);
}

/** Prints one of several JSON documents on a line of its own. */
export function printJsonLine(value: unknown): void {
  screen.write(`${JSON.stringify(value)}\n`);
}
