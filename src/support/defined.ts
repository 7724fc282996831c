/** An object type whose members that may be `undefined` are optional instead. */
type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** A copy without the members that are `undefined`, for optional members that must be absent when they are not set. */
export function defined<T extends object>(object: T): Defined<T> {
  const copy: Record<string, unknown> = {};
  // On the path of every message: by entries it takes five times as long.
  for (const name of Object.keys(object) as (keyof T & string)[]) {
    const value = object[name];
    if (name === '__proto__') Object.defineProperty(copy, name, { value, enumerable: true });
    else if (value !== undefined) copy[name] = value;
  }
  return copy as Defined<T>;
}
