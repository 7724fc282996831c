import type { Dialect } from '../wire/dialect.ts';
import { dialectOf, dialects } from '../wire/select.ts';

/** Who asked to be told of a task: in which words, and under which name the task is known there. */
export interface Registrant {
  readonly dialect: Dialect;
  /** What callers of 0.1 call the task. */
  readonly alias: string | undefined;
}

/** One text to store with a push configuration. The names of dialects have no blanks. */
export function encodeRegistrant({ dialect, alias }: Registrant): string {
  return alias === undefined ? dialect.name : `${dialect.name} ${alias}`;
}

/** Of a dialect that is not known any more, or not yet, what is told is told in the newest words. */
export function decodeRegistrant(text: string): Registrant {
  const end = text.indexOf(' ');
  const name = end < 0 ? text : text.slice(0, end);
  const known = Object.hasOwn(dialects, name) ? dialects[name as keyof typeof dialects] : dialectOf('1.0');
  return { dialect: known, alias: end < 0 ? undefined : text.slice(end + 1) };
}
