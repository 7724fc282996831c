/** Any JSON value, as `JSON.parse` returns it. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

/** A JSON object; `Struct` in the protocol definition. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}
