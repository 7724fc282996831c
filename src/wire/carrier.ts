import type { JsonObject, JsonValue } from '../model/json.ts';

/**
 * Metadata keys under which older dialects carry values that they have no member for. Encoding adds them and decoding
 * removes them, so that the values survive the round trip. The prefix is reserved: metadata of users must not use it.
 */
export const CARRIER = {
  mediaType: 'a2a:mediaType',
  filename: 'a2a:filename',
  /** The URL of an inline file, if a peer sent both bytes and a URL. */
  uri: 'a2a:uri',
  /** The kind of a part that the protocol does not define. */
  kind: 'a2a:kind',
  /** The state that 0.1 does not have. */
  state: 'a2a:state',
  /** The number of an artifact in 0.1. */
  index: 'a2a:index',
  /** The id of an artifact, because 0.1 only has the number. */
  artifactId: 'a2a:artifactId',
  referenceTaskIds: 'a2a:referenceTaskIds',
  inputRequest: 'a2a:inputRequest',
  /** Both reference SDKs use this name to mark a wrapped value. */
  wrappedData: 'data_part_compat',
} as const;

/** Returns the metadata with the defined entries added; `undefined` if there is neither metadata nor an entry. */
export function carry(
  metadata: JsonObject | undefined,
  entries: Readonly<Record<string, JsonValue | undefined>>,
): JsonObject | undefined {
  const added = Object.entries(entries).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined);
  return added.length === 0 ? metadata : { ...metadata, ...Object.fromEntries(added) };
}

/** Returns the metadata without the given keys; `undefined` if no key is left. */
export function uncarry(metadata: JsonObject, keys: readonly string[]): JsonObject | undefined {
  const rest = Object.entries(metadata).filter(([key]) => !keys.includes(key));
  return rest.length === 0 ? undefined : Object.fromEntries(rest);
}
