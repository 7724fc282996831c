/** All supported versions of the protocol, in the form `Major.Minor`. */
export const PROTOCOL_VERSIONS = Object.freeze(['1.0', '0.3', '0.2', '0.1'] as const);
/** A supported version of the protocol. */
export type ProtocolVersion = (typeof PROTOCOL_VERSIONS)[number];

/** The version that a caller requests: a supported one, any other text, or none. */
export type RequestedVersion =
  | { readonly kind: 'known'; readonly version: ProtocolVersion }
  | { readonly kind: 'unknown'; readonly text: string }
  | { readonly kind: 'absent' };

/**
 * The version of a request: the header `A2A-Version`, else the query parameter of the same name (1.0 §3.6.1). An empty
 * value counts as absent, and the patch number is ignored (1.0 §3.6).
 */
export function requestedVersion(header: string | undefined, query?: string | null): RequestedVersion {
  const text = header?.trim() || query?.trim() || '';
  if (text === '') return { kind: 'absent' };
  const version = parseVersion(text);
  return version === undefined ? { kind: 'unknown', text } : { kind: 'known', version };
}

/** `0.3`, `0.3.0` and `0.3.14` are all 0.3. Returns `undefined` for an unsupported version. */
export function parseVersion(text: string): ProtocolVersion | undefined {
  // Nearly all callers send `Major.Minor`, which needs no regular expression.
  const known = PROTOCOL_VERSIONS.find((version) => version === text);
  if (known !== undefined) return known;
  const [, majorMinor] = /^(\d{1,4}\.\d{1,4})(?:\.\d{1,9})?$/.exec(text) ?? [];
  return PROTOCOL_VERSIONS.find((version) => version === majorMinor);
}
