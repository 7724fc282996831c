import { PROTOCOL_VERSIONS, type ProtocolVersion } from './dialect.ts';

/** What a caller asks for: a version we know, a text that names none of ours, or nothing. */
export type RequestedVersion =
  | { readonly kind: 'known'; readonly version: ProtocolVersion }
  | { readonly kind: 'unknown'; readonly text: string }
  | { readonly kind: 'absent' };

/**
 * The version of a request: the header `A2A-Version`, else the query parameter of the same name (1.0 §3.6.1). Empty is
 * the same as absent, the patch number never counts (1.0 §3.6).
 */
export function requestedVersion(header: string | undefined, query?: string | null): RequestedVersion {
  const text = header?.trim() || query?.trim() || '';
  if (text === '') return { kind: 'absent' };
  const version = parseVersion(text);
  return version === undefined ? { kind: 'unknown', text } : { kind: 'known', version };
}

/** `0.3`, `0.3.0` and `0.3.14` are all 0.3; anything that is not a version of ours is `undefined`. */
export function parseVersion(text: string): ProtocolVersion | undefined {
  // Nearly everybody writes it as we do.
  const known = PROTOCOL_VERSIONS.find((version) => version === text);
  if (known !== undefined) return known;
  const [, majorMinor] = /^(\d{1,4}\.\d{1,4})(?:\.\d{1,9})?$/.exec(text) ?? [];
  return PROTOCOL_VERSIONS.find((version) => version === majorMinor);
}
