import type { ContenderSetup } from '../harness/contender.ts';

/** A server to measure: a file of this folder that calls `runContender`, and the store that it uses. */
export interface Contender {
  readonly name: string;
  readonly file: URL;
  readonly store: ContenderSetup['store'];
  readonly guards?: ContenderSetup['guards'];
  readonly database?: ContenderSetup['database'];
  readonly role?: ContenderSetup['role'];
}

/** The baseline of all other contenders. */
export const BASELINE = 'raw';
/** The other implementation that ours is compared with. */
export const PEER = 'a2a-js';
export const PEER_STORED = 'a2a-js (SQLite)';
export const OWN = 'tandem (memory)';
export const OWN_STORED = 'tandem (SQLite)';

const RAW_FILE = new URL('raw.ts', import.meta.url);
export const PEER_FILE = new URL('a2a-js.ts', import.meta.url);
export const OWN_FILE = new URL('tandem.ts', import.meta.url);

/** In the order of the table. A new contender needs one file and one line here. */
export const contenders: readonly Contender[] = [
  { name: BASELINE, file: RAW_FILE, store: 'memory' },
  { name: PEER, file: PEER_FILE, store: 'memory' },
  { name: PEER_STORED, file: PEER_FILE, store: 'sqlite' },
  { name: OWN, file: OWN_FILE, store: 'memory' },
  { name: OWN_STORED, file: OWN_FILE, store: 'sqlite' },
];
