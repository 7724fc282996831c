import type { Dialect } from '../../wire/dialect.ts';
import { dialectOf, dialects } from '../../wire/select.ts';

/** The dialect of a push configuration, and the name of the task in notifications. */
export interface PushTarget {
  readonly dialect: Dialect;
  readonly alias: string | undefined;
}

/** Encodes it as one string, which is stored with the push configuration. Names of dialects contain no spaces. */
export function encodePushTarget({ dialect, alias }: PushTarget): string {
  return alias === undefined ? dialect.name : `${dialect.name} ${alias}`;
}

/** An unknown dialect, of an older or newer release, is replaced by 1.0. */
export function decodePushTarget(text: string): PushTarget {
  const end = text.indexOf(' ');
  const name = end < 0 ? text : text.slice(0, end);
  const known = Object.hasOwn(dialects, name) ? dialects[name as keyof typeof dialects] : dialectOf('1.0');
  return { dialect: known, alias: end < 0 ? undefined : text.slice(end + 1) };
}
