/** A server to measure: a file of this folder that calls `contend`. */
export interface Contender {
  readonly name: string;
  readonly file: URL;
}

/** The one that all others are compared with. */
export const FLOOR = 'raw';
/** The peer that all others are compared with. */
export const PEER = 'a2a-js';

/** In the order of the table. A new contender is one file and one line here. */
export const contenders: readonly Contender[] = [
  { name: FLOOR, file: new URL('raw.ts', import.meta.url) },
  { name: PEER, file: new URL('a2a-js.ts', import.meta.url) },
];
