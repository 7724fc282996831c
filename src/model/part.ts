import type { JsonInput, JsonObject, JsonValue } from './json.ts';
import type { UnknownMembers } from './unknown-members.ts';

/** The members that every kind of part can have. */
interface PartCommon {
  /** Custom data about the part. */
  readonly metadata?: JsonObject;
  /** Name of the file. */
  readonly filename?: string;
  /** Media type of the content, for example `image/png`. */
  readonly mediaType?: string;
  /** Members that the protocol version of the sender does not define. Set only in messages that a server received. */
  readonly unknownMembers?: UnknownMembers;
}

/** Plain text. */
export interface TextPart extends PartCommon {
  /** The text. */
  readonly text: string;
}

/** A file that is sent inline. */
export interface RawPart extends PartCommon {
  /** The bytes, in standard padded base64. */
  readonly raw: string;
}

/** A file that is sent by URL. */
export interface UrlPart extends PartCommon {
  /** URL of the content. */
  readonly url: string;
}

/** Structured content. */
export interface DataPart extends PartCommon {
  /** The JSON value. */
  readonly data: JsonValue;
}

/** One piece of content. Exactly one of `text`, `raw`, `url`, `data` is present (1.0 §4.1.6). */
export type Part = TextPart | RawPart | UrlPart | DataPart;

/** Structured content to send: its data can be any value that has a JSON form. */
export interface DataPartInput extends Omit<DataPart, 'data' | 'metadata' | 'unknownMembers'> {
  /** The value. */
  readonly data: JsonInput;
  /** Custom data about the part: an object that has a JSON form. */
  readonly metadata?: object;
}

/** One piece of content to send. */
export type PartInput = TextPart | RawPart | UrlPart | DataPartInput;

/** Returns the media type of a part, or the default of its kind; `undefined` for files without one. */
export function mediaTypeOf(part: Part): string | undefined {
  if (part.mediaType !== undefined) return part.mediaType;
  if ('text' in part) return 'text/plain';
  if ('data' in part) return 'application/json';
  return undefined;
}
