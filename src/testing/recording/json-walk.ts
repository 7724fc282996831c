import type { JsonObject, JsonValue } from '../../model/json.ts';
import { isObject } from '../../wire/codec.ts';

/** The names of the members that lead to a value. Items of a list have the path of the list. */
export type Path = readonly string[];

/** A copy with every string replaced. Members keep their order. */
export function mapStrings(json: JsonValue, change: (text: string, path: Path) => string, path: Path = []): JsonValue {
  if (typeof json === 'string') return change(json, path);
  if (Array.isArray(json)) return json.map((item: JsonValue) => mapStrings(item, change, path));
  if (!isObject(json)) return json;
  return mapMembers(json, (value, name) => mapStrings(value, change, [...path, name]));
}

/** A copy with every member replaced. */
export function mapMembers(json: JsonObject, change: (value: JsonValue, name: string) => JsonValue): JsonObject {
  return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, change(value, name)]));
}

/** Calls `visit` for every string, in document order. */
export function eachString(json: JsonValue, visit: (text: string, path: Path, parent: JsonValue) => void): void {
  walk(json, [], json, visit);
}

function walk(
  json: JsonValue,
  path: Path,
  parent: JsonValue,
  visit: (text: string, path: Path, parent: JsonValue) => void,
): void {
  if (typeof json === 'string') visit(json, path, parent);
  else if (Array.isArray(json)) for (const item of json as readonly JsonValue[]) walk(item, path, parent, visit);
  else if (isObject(json)) for (const [name, value] of Object.entries(json)) walk(value, [...path, name], json, visit);
}

/** Parses JSON; undefined if the text is not JSON. */
export function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
