import type { Dialect } from './dialect.ts';
import { v1 } from './v1/index.ts';
import type { ProtocolVersion } from './version.ts';

/** Binding, version and address of an interface, which determine the dialect of a client. */
export interface WireFormat {
  readonly binding: 'JSONRPC' | 'HTTP+JSON';
  readonly version: ProtocolVersion;
  readonly url?: string;
  readonly restStyle?: 'proto' | 'kind' | undefined;
}

/**
 * The dialect of a client if it is already loaded, which is only 1.0. All others are half of the code in wire, and most
 * clients never need one, so `loadClientDialect` loads them on demand.
 */
export function bundledDialect({ version }: Pick<WireFormat, 'version'>): Dialect | undefined {
  return version === '1.0' ? v1 : undefined;
}

/** @throws TypeError if `hasClientDialect` returns false. */
export async function loadClientDialect(format: WireFormat): Promise<Dialect> {
  const { binding, version, url, restStyle } = format;
  const dialect = bundledDialect(format) ?? (await olderDialects()).clientDialect(binding, version, url, restStyle);
  if (dialect === undefined) throw new TypeError(`A2A ${version} is not available over ${binding}`);
  return dialect;
}

/** The dialect that decodes and encodes cards of a version. */
export async function loadCardDialect(version: ProtocolVersion): Promise<Dialect> {
  return bundledDialect({ version }) ?? (await olderDialects()).dialectOf(version);
}

function olderDialects(): Promise<typeof import('./select.ts')> {
  return import('./select.ts');
}

/**
 * Whether a client has a dialect for the version and binding. REST exists since 0.3; a REST interface of "0.1" uses the
 * flat form.
 */
export function hasClientDialect({ binding, version }: WireFormat): boolean {
  return binding === 'JSONRPC' || version !== '0.2';
}

/** The same value as `Dialect.clientNamesTasks`, without loading the dialect. */
export function clientNamesTasks({ binding, version }: WireFormat): boolean {
  return binding === 'JSONRPC' && version === '0.1';
}
