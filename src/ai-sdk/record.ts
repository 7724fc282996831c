/** The JSON form of what a model returns, for the journal. Bytes, dates and errors survive; JSON alone would lose them. */
import { decodeBase64, encodeBase64 } from '../support/bytes.ts';

const BYTES = '$bytes';
const DATE = '$date';
const ERROR = '$error';

/** @param leftOut The names of members of the outermost objects that are not recorded. */
export function toRecord(value: unknown, leftOut: ReadonlySet<string> = new Set()): unknown {
  if (value instanceof Uint8Array) return { [BYTES]: encodeBase64(value) };
  if (value instanceof Date) return { [DATE]: value.toISOString() };
  if (value instanceof Error) return { [ERROR]: { name: value.name, message: value.message } };
  if (Array.isArray(value)) return value.map((one) => toRecord(one));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([name, member]) => !leftOut.has(name) && typeof member !== 'function');
  return Object.fromEntries(
    members.map(([name, member]) => [name, toRecord(member, name === 'response' ? leftOut : undefined)]),
  );
}

export function fromRecord<T>(value: T): T {
  return revived(value) as T;
}

function revived(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(revived);
  if (typeof value !== 'object' || value === null) return value;
  const entries: readonly (readonly [string, unknown])[] = Object.entries(value);
  const [only] = entries;
  if (entries.length === 1 && only !== undefined) {
    const [key, member] = only;
    if (key === BYTES && typeof member === 'string') return decodeBase64(member);
    if (key === DATE && typeof member === 'string') return new Date(member);
    if (key === ERROR) {
      const { name, message } = member as { readonly name: string; readonly message: string };
      return Object.assign(new Error(message), { name });
    }
  }
  return Object.fromEntries(entries.map(([name, member]) => [name, revived(member)]));
}
