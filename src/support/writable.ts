/** A type with writable members, for building a readonly value member by member. */
export type Writable<T> = T extends unknown ? { -readonly [K in keyof T]: T[K] } : never;
