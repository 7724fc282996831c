import type { JsonObject, JsonValue } from '../model/json.ts';

/**
 * Metadata keys under which older dialects carry what they have no member for. Written when a value leaves the model and
 * taken out when it comes back, so that it survives the journey. The prefix is ours: metadata of users must not have it.
 */
export const CARRIER = {
  mediaType: 'a2a:mediaType',
  filename: 'a2a:filename',
  /** Where an inline file also was, when a peer sent both bytes and address. */
  uri: 'a2a:uri',
  /** What a part without a place in the protocol called itself. */
  kind: 'a2a:kind',
  /** The state that 0.1 has no word for. */
  state: 'a2a:state',
  /** The number of an artifact in 0.1. */
  index: 'a2a:index',
  /** The id of an artifact where 0.1 only has the number. */
  artifactId: 'a2a:artifactId',
  referenceTaskIds: 'a2a:referenceTaskIds',
  inputRequest: 'a2a:inputRequest',
  /** Both reference SDKs mark a wrapped value this way, so the name is theirs. */
  wrappedData: 'data_part_compat',
} as const;

/** The metadata with the set entries added; `undefined` stays `undefined` if there is nothing to carry. */
export function carry(
  metadata: JsonObject | undefined,
  entries: Readonly<Record<string, JsonValue | undefined>>,
): JsonObject | undefined {
  const added = Object.entries(entries).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined);
  return added.length === 0 ? metadata : { ...metadata, ...Object.fromEntries(added) };
}

/** The metadata without the given keys; `undefined` if nothing is left of it. */
export function uncarry(metadata: JsonObject, keys: readonly string[]): JsonObject | undefined {
  const rest = Object.entries(metadata).filter(([key]) => !keys.includes(key));
  return rest.length === 0 ? undefined : Object.fromEntries(rest);
}
