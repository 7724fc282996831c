import type { JsonObject, JsonValue } from '../../model/json.ts';
import type { DataPart, Part } from '../../model/part.ts';
import { CARRIER, carry, uncarry } from '../carrier.ts';
import { isObject, isSet, member } from '../codec.ts';
import type { Reader } from '../reader.ts';
import { struct } from '../values.ts';

/** The name and type of a file. */
export interface FileNames {
  readonly filename?: string;
  readonly mediaType?: string;
}

/** A file by its bytes or its address; with both, the bytes are the content and the address is kept. */
export function filePart(r: Reader, raw: string | undefined, url: string | undefined, names: FileNames): Part {
  if (raw === undefined) return { url: url ?? '', ...names };
  if (url === undefined) return { raw, ...names };
  r.tolerate('file-bytes-and-uri', 'either bytes or uri');
  return { raw, ...names, metadata: { [CARRIER.uri]: url } };
}

/** Before 1.0 data is an object; anything else travels in a wrapper that both reference SDKs know too. */
export function dataObject(part: DataPart): JsonObject {
  return isObject(part.data) ? part.data : { value: part.data };
}

/** The metadata of a part, with what only files can say before 1.0 and whether the data is wrapped. */
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

/** Adds the metadata to a part, and gives back what it carried for us. */
export function restoreCarried(r: Reader, wire: JsonObject, part: Part): Part {
  if (!isSet(wire['metadata'])) return part;
  const metadata = member(r, wire, 'metadata', struct);
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
