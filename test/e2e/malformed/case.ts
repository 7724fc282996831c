import type { Expected } from './expected.ts';
import type { RawRequest } from './exchange.ts';

export interface MalformedCase {
  readonly name: string;
  readonly request: RawRequest;
  readonly answer: Expected;
  /** Set if a web-standard `Request` cannot express the case. */
  readonly socketOnly?: true;
}

/** A piece of JSON text that `JSON.stringify` cannot produce. */
export class RawJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Stands for an absent member. */
export const MISSING: unique symbol = Symbol('missing');

export const BEYOND_NUMBERS = new RawJson('1e400');

/** Nested objects or arrays. */
export function deep(levels: number, kind: 'objects' | 'lists' = 'objects'): RawJson {
  const [open, close] = kind === 'objects' ? ['{"a":', '}'] : ['[', ']'];
  return new RawJson(`${open.repeat(levels)}1${close.repeat(levels)}`);
}

/** The JSON text of a value that may contain `RawJson`. */
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

/** The form of a value in the name of a test. */
export function shown(value: unknown): string {
  if (value === MISSING) return 'missing';
  const text = value instanceof RawJson ? value.text : JSON.stringify(value);
  return text.length > 40 ? `${text.slice(0, 30)}… (${text.length} characters)` : text;
}

export const JSON_TYPE = ['Content-Type', 'application/json'] as const;
export const VERSION_1 = ['A2A-Version', '1.0'] as const;

/** A JSON-RPC call of 1.0. All calls have the same id. */
export function call(method: string, params: unknown): RawRequest {
  return { headers: [JSON_TYPE, VERSION_1], body: jsonText({ jsonrpc: '2.0', id: 'call', method, params }) };
}

/** A JSON-RPC call of an older version. Without `version` the server infers it from the method. */
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
