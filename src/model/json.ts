/** Any JSON value, as `JSON.parse` returns it. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

/** A JSON object; `Struct` in the protocol definition. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/**
 * A value that has a JSON form, as an input: also objects with interface types and with optional members. `undefined` members are left
 * out. Functions, `Map`, `Set`, bytes and other class instances without `toJSON` are rejected at run time.
 */
export type JsonInput = null | boolean | number | string | object;

/**
 * The type of a value after `JSON.parse(JSON.stringify(value))`: dates are strings, and members that are functions are left out.
 */
export type Jsonify<T> = 0 extends 1 & T
  ? T
  : T extends JsonValue | undefined
    ? T
    : T extends { toJSON(): infer J }
      ? Jsonify<J>
      : T extends bigint | symbol | ((...args: never[]) => unknown)
        ? never
        : T extends readonly unknown[]
          ? { [K in keyof T]: Jsonify<T[K]> }
          : T extends object
            ? {
                [
                  K in keyof T as K extends symbol
                    ? never
                    : [Exclude<T[K], undefined>] extends [symbol | ((...args: never[]) => unknown)]
                      ? never
                      : K
                ]: Jsonify<T[K]>;
              }
            : T;
