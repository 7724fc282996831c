import type { JsonObject, JsonValue } from './json.ts';
import type { UnknownMembers } from './unknown-members.ts';

/** The members every kind of part may have beside its content. */
interface PartCommon {
  readonly metadata?: JsonObject;
  readonly filename?: string;
  readonly mediaType?: string;
  /** Members that the protocol version of the sender does not define; only in messages that a server received. */
  readonly unknownMembers?: UnknownMembers;
}

export interface TextPart extends PartCommon {
  readonly text: string;
}

/** Inline bytes, in standard padded base64. */
export interface RawPart extends PartCommon {
  readonly raw: string;
}

/** Bytes to be fetched. Never fetch one without an address check (1.0 §14.1.1). */
export interface UrlPart extends PartCommon {
  readonly url: string;
}

/** Any JSON value; `null` is content too. */
export interface DataPart extends PartCommon {
  readonly data: JsonValue;
}

/** One piece of content. Exactly one of `text`, `raw`, `url`, `data` is present (1.0 §4.1.6). */
export type Part = TextPart | RawPart | UrlPart | DataPart;

/** What a part holds when it does not say so itself; `undefined` for files, whose type cannot be guessed. */
export function mediaTypeOf(part: Part): string | undefined {
  if (part.mediaType !== undefined) return part.mediaType;
  if ('text' in part) return 'text/plain';
  if ('data' in part) return 'application/json';
  return undefined;
}
