import { screen } from './screen.ts';

/** The one document that was asked for. */
export function giveJson(value: unknown): void {
  screen.give(`${JSON.stringify(value, undefined, 2)}\n`);
}

/** One of many, on a line of its own. */
export function giveJsonLine(value: unknown): void {
  screen.give(`${JSON.stringify(value)}\n`);
}
