import { nearest } from '../support/nearest.ts';

/**
 * Collects what is wrong with the options that somebody wrote, to tell of all of it at once. Options may come from plain
 * JavaScript, so their types prove nothing.
 */
export class Check {
  readonly #problems: string[] = [];

  /** Notes that the value at `path` is wrong: `name: must be …`. Never quote a value that could be a secret. */
  fault(path: string, problem: string): void {
    this.#problems.push(`${path}: ${problem}`);
  }

  /** Throws one error for all problems, or returns. */
  finish(what: string): void {
    if (this.#problems.length === 0) return;
    throw new TypeError(`${what}\n${this.#problems.map((problem) => `  - ${problem}`).join('\n')}`);
  }

  /** Notes each member that is not known, with the one that was probably meant. */
  keys(given: object, known: readonly string[], at: string, hints: Readonly<Record<string, string>> = {}): void {
    for (const key of Object.keys(given)) {
      if (known.includes(key)) continue;
      const meant = nearest(key, known);
      const hint = Object.hasOwn(hints, key) ? hints[key] : undefined;
      const advice = hint ?? (meant === undefined ? `known are ${known.join(', ')}` : `did you mean ${meant}?`);
      this.fault(at + key, `is not an option; ${advice}`);
    }
  }

  /** An object with members, or undefined with a problem noted. */
  record(value: unknown, path: string, example: string): Readonly<Record<string, unknown>> | undefined {
    if (isObject(value)) return value;
    this.fault(path, `must be an object like ${example}, not ${kindOf(value)}`);
    return undefined;
  }

  /** A list, item by item; what is no list is noted, and empty. */
  list<T>(value: unknown, path: string, of: string, read: (item: unknown, path: string) => T): T[] {
    if (value === undefined) return [];
    // Array.from, because map would skip the holes of a list and its mistakes with them.
    if (Array.isArray(value)) return Array.from(value, (item: unknown, i) => read(item, `${path}[${i}]`));
    this.fault(path, `must be a list of ${of}, not ${kindOf(value)}`);
    return [];
  }

  /** A text with something in it; empty with a problem noted, if there is none. */
  text(value: unknown, path: string, example?: string): string {
    if (typeof value === 'string' && value.trim() !== '') return value;
    const like = example === undefined ? '' : ` such as ${JSON.stringify(example)}`;
    if (value === undefined) this.fault(path, `is missing; give a text${like}`);
    else this.fault(path, `must be a text${like}, not ${kindOf(value)}`);
    return '';
  }

  /** Like `text`, for what may be left out. */
  optionalText(value: unknown, path: string, example?: string): string | undefined {
    return value === undefined ? undefined : this.text(value, path, example);
  }

  /** An address that anybody may follow. One with a password in it would publish the password. */
  webAddress(value: unknown, path: string): string {
    const text = this.text(value, path, 'https://example.com');
    if (text === '') return text;
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
      this.fault(path, 'must be a whole address that starts with https:// or http://');
    } else if (url.username !== '' || url.password !== '') {
      this.fault(path, 'must hold no user name or password: the card is public');
    }
    return text;
  }
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function kindOf(value: unknown): string {
  if (value === '') return 'an empty text';
  if (typeof value === 'string') return value.trim() === '' ? 'a blank text' : 'a text';
  if (Array.isArray(value)) return 'a list';
  if (value === null || value === undefined || Number.isNaN(value)) return String(value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
