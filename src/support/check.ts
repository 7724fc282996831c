import { nearest } from './nearest.ts';

/**
 * Collects the problems in a set of options and reports all of them in one error. Options may come from plain JavaScript, so
 * their static types are not trusted.
 */
export class Check {
  readonly #problems: string[] = [];

  /** Records that the value at `path` is wrong: `name: expected …, got …`. Never quote a value that could be a secret. */
  fault(path: string, problem: string): void {
    this.#problems.push(`${path}: ${problem}`);
  }

  /** @throws TypeError that lists all problems under the heading `what`, if there are any. */
  finish(what: string): void {
    if (this.#problems.length === 0) return;
    throw new TypeError(`${what}\n${this.#problems.map((problem) => `  - ${problem}`).join('\n')}`);
  }

  /** Reports each unknown member, with the closest known name as a suggestion. */
  keys(given: object, known: readonly string[], at: string, hints: Readonly<Record<string, string>> = {}): void {
    for (const key of Object.keys(given)) {
      if (known.includes(key)) continue;
      const meant = nearest(key, known);
      const hint = Object.hasOwn(hints, key) ? hints[key] : undefined;
      const advice = hint ?? (meant === undefined ? `known options: ${known.join(', ')}` : `did you mean ${meant}?`);
      this.fault(at + key, `is not an option; ${advice}`);
    }
  }

  /** Returns all options; reports a value that is not an object and returns an empty one. */
  options(value: unknown): Readonly<Record<string, unknown>> {
    if (isObject(value)) return value;
    this.fault('options', `expected an object, got ${kindOf(value)}`);
    return {};
  }

  /** Reports an optional value that is not a boolean. */
  flag(value: unknown, path: string): void {
    if (value !== undefined && typeof value !== 'boolean')
      this.fault(path, `expected true or false, got ${kindOf(value)}`);
  }

  /** Reports an optional value that is not a function. */
  callback(value: unknown, path: string): void {
    if (value !== undefined && typeof value !== 'function')
      this.fault(path, `expected a function, got ${kindOf(value)}`);
  }

  /** Reports an optional value that is not a whole number in the range. */
  count(value: unknown, path: string, least: number, most = Number.POSITIVE_INFINITY): void {
    if (value === undefined) return;
    if (Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most) return;
    const range = most === Number.POSITIVE_INFINITY ? `>= ${least}` : `from ${least} to ${most}`;
    this.fault(path, `expected a whole number ${range}, got ${kindOf(value)}`);
  }

  /** Returns the value if it is an object; otherwise reports a problem and returns undefined. */
  record(value: unknown, path: string, example: string): Readonly<Record<string, unknown>> | undefined {
    if (isObject(value)) return value;
    this.fault(path, `expected an object such as ${example}, got ${kindOf(value)}`);
    return undefined;
  }

  /** Reads an array item by item. Reports any other value and returns an empty array. */
  list<T>(value: unknown, path: string, of: string, read: (item: unknown, path: string) => T): T[] {
    if (value === undefined) return [];
    // Array.from, because map skips the holes of a sparse array, and a hole is an error.
    if (Array.isArray(value)) return Array.from(value, (item: unknown, i) => read(item, `${path}[${i}]`));
    this.fault(path, `expected an array of ${of}, got ${kindOf(value)}`);
    return [];
  }

  /** Returns the value if it is a string that is not blank; otherwise reports a problem and returns an empty string. */
  text(value: unknown, path: string, example?: string): string {
    if (typeof value === 'string' && value.trim() !== '') return value;
    const like = example === undefined ? '' : ` such as ${JSON.stringify(example)}`;
    if (value === undefined) this.fault(path, `is required: pass a string${like}`);
    else this.fault(path, `expected a string${like}, got ${kindOf(value)}`);
    return '';
  }

  /** Like `text`, for an optional member. */
  optionalText(value: unknown, path: string, example?: string): string | undefined {
    return value === undefined ? undefined : this.text(value, path, example);
  }

  /** Reads an http(s) URL. Most of them end up on public cards, so credentials in the URL are rejected. */
  webAddress(value: unknown, path: string): string {
    const text = this.text(value, path, 'https://example.com');
    if (text === '') return text;
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
      this.fault(path, 'expected an absolute URL that starts with https:// or http://');
    } else if (url.username !== '' || url.password !== '') {
      this.fault(path, 'must not contain a user name or password');
    }
    return text;
  }
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Describes a value for an error message without quoting strings, because they may be secrets. */
export function kindOf(value: unknown): string {
  if (value === '') return 'an empty string';
  if (typeof value === 'string') return value.trim() === '' ? 'a blank string' : 'a string';
  if (Array.isArray(value)) return 'an array';
  if (value === null || value === undefined || Number.isNaN(value)) return String(value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** Like `kindOf`, but quotes strings. Only for options whose values are never secret, such as enumerations. */
export function quoted(value: unknown): string {
  if (typeof value !== 'string') return kindOf(value);
  return JSON.stringify(value.length > MAX_QUOTED ? `${value.slice(0, MAX_QUOTED)}…` : value);
}

const MAX_QUOTED = 40;
