import type { Expected } from './expected.ts';
import type { RawRequest } from './exchange.ts';

export interface MalformedCase {
  readonly name: string;
  readonly request: RawRequest;
  readonly answer: Expected;
  /** A web-standard request cannot say the same. */
  readonly socketOnly?: true;
}

/** Put where the JSON of a value is too odd for `JSON.stringify`. */
export class RawJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The member is not there at all. */
export const MISSING: unique symbol = Symbol('missing');

export const BEYOND_NUMBERS = new RawJson('1e400');

/** Objects in objects, or lists in lists. */
export function deep(levels: number, kind: 'objects' | 'lists' = 'objects'): RawJson {
  const [open, close] = kind === 'objects' ? ['{"a":', '}'] : ['[', ']'];
  return new RawJson(`${open.repeat(levels)}1${close.repeat(levels)}`);
}

/** JSON with raw pieces in it. */
export function jsonText(value: unknown): string {
  const raw: string[] = [];
  const text = JSON.stringify(value, (_key, each: unknown) =>
    each instanceof RawJson ? `@raw${raw.push(each.text) - 1}@` : each,
  );
  return text.replace(/"@raw(\d+)@"/g, (_match, index: string) => raw[Number(index)] ?? '');
}

/** A copy with another value at a path such as `message.parts[0].text`. */
export function withValue(json: unknown, at: string, value: unknown): unknown {
  if (at === '') return value;
  const copy = structuredClone(json) as Record<string, unknown>;
  const keys = at.split(/[.[\]]+/).filter((key) => key !== '');
  const last = keys.pop() ?? '';
  const parent = keys.reduce<Record<string, unknown>>((node, key) => {
    node[key] ??= {};
    return node[key] as Record<string, unknown>;
  }, copy);
  if (value === MISSING) delete parent[last];
  else parent[last] = value;
  return copy;
}

/** How a value is shown in the name of a test. */
export function shown(value: unknown): string {
  if (value === MISSING) return 'missing';
  const text = value instanceof RawJson ? value.text : JSON.stringify(value);
  return text.length > 40 ? `${text.slice(0, 30)}… (${text.length} characters)` : text;
}

export const JSON_TYPE = ['Content-Type', 'application/json'] as const;
export const VERSION_1 = ['A2A-Version', '1.0'] as const;

/** A JSON-RPC call of 1.0; all calls here have the same id. */
export function call(method: string, params: unknown): RawRequest {
  return { headers: [JSON_TYPE, VERSION_1], body: jsonText({ jsonrpc: '2.0', id: 'call', method, params }) };
}

/** Of an older version: one that says which it is, or one that leaves it to be told by the method. */
export function oldCall(method: string, params: unknown, version?: string): RawRequest {
  const headers = version === undefined ? [JSON_TYPE] : [JSON_TYPE, ['A2A-Version', version] as const];
  return { headers, body: jsonText({ jsonrpc: '2.0', id: 'call', method, params }) };
}

export function post(path: string, body: unknown): RawRequest {
  return { path, headers: [JSON_TYPE], body: jsonText(body) };
}

export function get(path: string): RawRequest {
  return { method: 'GET', path };
}
