import type { JsonObject } from './json.ts';

/**
 * Members of a received message or part that its protocol version does not define. The server keeps them with the message and
 * returns them to callers of the same version. Callers of other versions never get them.
 */
export interface UnknownMembers {
  /** The protocol version of the request that brought them. */
  readonly version: '1.0' | '0.3' | '0.2' | '0.1';
  /** The members by name, with their values as received. */
  readonly members: JsonObject;
}

const NAME_IN_JSON = '"unknownMembers":';

/**
 * Whether JSON of the model may hold unknown members. Without them the text is also the 1.0 format. May be true for data that
 * only looks like it, never false for a message that has them.
 */
export function mayHoldUnknownMembers(json: string): boolean {
  return json.includes(NAME_IN_JSON);
}
