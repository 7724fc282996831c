/** The same type while it is being made: results are readonly, but members that may be absent are set one by one. */
export type Writable<T> = T extends unknown ? { -readonly [K in keyof T]: T[K] } : never;
