/** Any JSON value, as `JSON.parse` gives it. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

/** A JSON object: what the protocol calls a Struct. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}
