import type { Dialect, ProtocolVersion } from './dialect.ts';
import { v1 } from './v1/index.ts';

/** What decides in which words a client speaks. */
export interface Manner {
  readonly binding: 'JSONRPC' | 'HTTP+JSON';
  readonly version: ProtocolVersion;
  readonly url?: string;
  readonly restStyle?: 'proto' | 'kind' | undefined;
}

/**
 * The dialect in which a client speaks, where it is known without waiting: that of 1.0. All others are half of the wire, and
 * most clients meet none of them, so that `loadSpoken` loads them when an agent turns out to speak one.
 */
export function spokenAtOnce({ version }: Pick<Manner, 'version'>): Dialect | undefined {
  return version === '1.0' ? v1 : undefined;
}

/** @throws TypeError for what `isSpoken` says no of. */
export async function loadSpoken(manner: Manner): Promise<Dialect> {
  const { binding, version, url, restStyle } = manner;
  const dialect = spokenAtOnce(manner) ?? (await olderDialects()).spokenDialect(binding, version, url, restStyle);
  if (dialect === undefined) throw new TypeError(`A2A ${version} is not spoken by ${binding}`);
  return dialect;
}

/** The dialect in which a card of a version is written. */
export async function loadCardDialect(version: ProtocolVersion): Promise<Dialect> {
  return spokenAtOnce({ version }) ?? (await olderDialects()).dialectOf(version);
}

function olderDialects(): Promise<typeof import('./select.ts')> {
  return import('./select.ts');
}

/** Whether a version can be spoken over a binding: REST came with 0.3, and what looks like 0.1 there is the flat form. */
export function isSpoken({ binding, version }: Manner): boolean {
  return binding === 'JSONRPC' || version !== '0.2';
}

/** As `Dialect.clientNamesTasks`, for those who only compare. */
export function clientNamesTasks({ binding, version }: Manner): boolean {
  return binding === 'JSONRPC' && version === '0.1';
}
