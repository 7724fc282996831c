import type { JsonValue } from '../../model/json.ts';

/** Whether a value is a plain object, from a literal or from `JSON.parse`. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // Literals of another realm have a different Object.prototype, which is also the last of its chain.
  return prototype === null || (Object.getPrototypeOf(prototype) === null && !Array.isArray(value));
}

/**
 * The JSON form of a value that user code gives. Members that are `undefined` are left out, values with `toJSON`, such as dates, are
 * converted, and instances of classes are reduced to their members.
 *
 * @param name Names the value in the error.
 * @throws TypeError for values that JSON would silently empty, such as a `Map`.
 */
export function toJson(value: unknown, name: string): JsonValue {
  if (typeof value === 'string') return value;
  assertJson(value, name, 'any');
  return JSON.parse(JSON.stringify(value)) as JsonValue;
}

/**
 * @param objects Which objects have a JSON form: any with members, or only plain ones, because instances of classes lose their methods.
 * @throws TypeError for values without a JSON form, with the place of the value.
 */
export function assertJson(value: unknown, at: string, objects: 'any' | 'plain', path: readonly object[] = []): void {
  if (value === null) return;
  if (typeof value !== 'object') {
    // JSON has no NaN: it becomes null.
    if (typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number') return;
    throw new TypeError(`${at} must be a JSON value, not ${typeof value}`);
  }
  if (path.includes(value)) throw new TypeError(`${at} contains itself, so it has no JSON form`);
  const inside = [...path, value];
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) if (item !== undefined) assertJson(item, `${at}[${i}]`, objects, inside);
    return;
  }
  if (hasJsonForm(value)) return assertJson(value.toJSON(), at, objects, inside);
  if (isLost(value) || (objects === 'plain' && !isRecord(value))) {
    throw new TypeError(`${at} is ${nameOf(value)}, which has no JSON form. ${adviceFor(value)}`);
  }
  for (const [name, member] of Object.entries(value)) {
    if (member !== undefined) assertJson(member, `${at}.${name}`, objects, inside);
  }
}

/** Whether JSON would make an empty object of it, or a list of numbers. */
function isLost(value: object): boolean {
  return value instanceof Map || value instanceof Set || value instanceof Promise || isBytes(value);
}

function isBytes(value: object): boolean {
  return ArrayBuffer.isView(value) || value instanceof ArrayBuffer;
}

function hasJsonForm(value: object): value is { toJSON(): unknown } {
  return !isBytes(value) && 'toJSON' in value && typeof value.toJSON === 'function';
}

function nameOf(value: object): string {
  const { name } = value.constructor;
  return name === '' ? 'an instance of a class' : `an instance of ${name}`;
}

function adviceFor(value: object): string {
  if (value instanceof Map) return 'Convert it, for example with Object.fromEntries(map).';
  if (value instanceof Set) return 'Convert it, for example with [...set].';
  if (value instanceof Promise) return 'Await it.';
  if (isBytes(value)) return 'Encode the bytes as base64, for example with Buffer.from(bytes).toString("base64").';
  return 'Use a plain object with the members that you need.';
}
