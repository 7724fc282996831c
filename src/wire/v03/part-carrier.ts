import type { JsonObject, JsonValue } from '../../model/json.ts';
import type { DataPart, Part } from '../../model/part.ts';
import { CARRIER, carry, uncarry } from '../carrier.ts';
import { isObject, isSet, member } from '../codec.ts';
import type { Decoder } from '../decoder.ts';
import { struct } from '../values.ts';

/** The name and type of a file. */
export interface FileNames {
  readonly filename?: string;
  readonly mediaType?: string;
}

/** A file by its bytes or its URL. If there are both, the bytes are the content and the metadata carries the URL. */
export function filePart(d: Decoder, raw: string | undefined, url: string | undefined, names: FileNames): Part {
  if (raw === undefined) return { url: url ?? '', ...names };
  if (url === undefined) return { raw, ...names };
  d.tolerate('file-bytes-and-uri', 'either bytes or uri');
  return { raw, ...names, metadata: { [CARRIER.uri]: url } };
}

/** Before 1.0 data is an object. Other values are wrapped as in both reference SDKs. */
export function dataObject(part: DataPart): JsonObject {
  return isObject(part.data) ? part.data : { value: part.data };
}

/** The metadata of a part, which carries the members that only files have before 1.0, and marks wrapped data. */
export function carriedMetadata(part: Part): JsonObject | undefined {
  if ('raw' in part || 'url' in part) return part.metadata;
  const { mediaType, filename, metadata } = part;
  const wraps = 'data' in part && !isObject(part.data);
  if (mediaType === undefined && filename === undefined && !wraps) return metadata;
  return carry(metadata, {
    [CARRIER.mediaType]: mediaType,
    [CARRIER.filename]: filename,
    [CARRIER.wrappedData]: wraps ? true : undefined,
  });
}

/** Adds the metadata to a part, and restores the carried members. */
export function restoreCarried(d: Decoder, wire: JsonObject, part: Part): Part {
  if (!isSet(wire['metadata'])) return part;
  const metadata = member(d, wire, 'metadata', struct);
  const { [CARRIER.mediaType]: mediaType, [CARRIER.filename]: filename, [CARRIER.wrappedData]: wrapped } = metadata;
  const unwraps = wrapped === true && 'data' in part && isObject(part.data) && 'value' in part.data;
  if (mediaType === undefined && filename === undefined && !unwraps) {
    return { ...part, metadata: part.metadata === undefined ? metadata : { ...metadata, ...part.metadata } };
  }
  const rest = uncarry(metadata, [CARRIER.mediaType, CARRIER.filename, ...(unwraps ? [CARRIER.wrappedData] : [])]);
  return {
    ...part,
    ...(unwraps ? { data: part.data['value'] as JsonValue } : {}),
    ...(typeof mediaType === 'string' ? { mediaType } : {}),
    ...(typeof filename === 'string' ? { filename } : {}),
    ...(rest === undefined ? {} : { metadata: { ...rest, ...part.metadata } }),
  };
}
