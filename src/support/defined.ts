/** An object type whose members that may be `undefined` are optional instead. */
type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** Returns a copy without `undefined` members, for optional members that must be absent if they are not set. */
export function defined<T extends object>(object: T): Defined<T> {
  const copy: Record<string, unknown> = {};
  // Runs for every message: `Object.entries` would take five times as long.
  for (const name of Object.keys(object) as (keyof T & string)[]) {
    const value = object[name];
    if (name === '__proto__') Object.defineProperty(copy, name, { value, enumerable: true });
    else if (value !== undefined) copy[name] = value;
  }
  return copy as Defined<T>;
}
