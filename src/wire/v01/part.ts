import type { JsonObject, JsonValue } from '../../model/json.ts';
import type { Part } from '../../model/part.ts';
import { CARRIER, uncarry } from '../carrier.ts';
import { type Codec, isObject, isSet } from '../codec.ts';
import type { Decoder } from '../decoder.ts';
import { createPartCodec } from '../v03/part.ts';
import { unknownInParts, withUnknown, encodeUnknown } from '../unknown-members.ts';
import { struct } from '../values.ts';

const tagged = createPartCodec('type', '0.1');
const UNKNOWN = unknownInParts('0.1');

/**
 * Parts of 0.1 are tagged by `type`, data can be a list or an object, and a file can be a reference with only a name.
 * The model keeps such a reference as data and marks its origin.
 */
export const part: Codec<Part> = {
  decode(d, json) {
    const value = isObject(json) && !isSet(json['type']) ? retag(d, json) : json;
    if (!isObject(value) || value['type'] !== 'file' || !isObject(value['file'])) return tagged.decode(d, value);
    const { file } = value;
    if (isSet(file['bytes']) || isSet(file['uri'])) return tagged.decode(d, value);
    const repaired = d.at('file', () => d.repair('file', file));
    if (repaired !== undefined) return tagged.decode(d, { ...value, file: repaired });
    if (Object.keys(file).length === 0) return tagged.decode(d, value);
    return withUnknown(d, value, UNKNOWN, decodeReference(d, value, file));
  },

  encode(value) {
    if (!('data' in value)) return tagged.encode(value);
    if (Array.isArray(value.data))
      return { ...(tagged.encode({ ...value, data: {} }) as JsonObject), data: value.data };
    const reference = encodeReference(value.data, value.metadata);
    if (reference === undefined) return tagged.encode(value);
    encodeUnknown(reference, value.unknownMembers, UNKNOWN);
    return reference;
  },
};

/** Repairs and callers that mix versions use `kind`, the tag of later versions. */
function retag(d: Decoder, json: JsonObject): JsonObject {
  const repaired = d.repair('part', json);
  if (repaired === undefined && isSet(json['kind'])) d.tolerate('part-kind-tag', 'the member type', 'type');
  const { kind, ...rest } = repaired ?? json;
  return kind === undefined ? json : { type: kind, ...rest };
}

function decodeReference(d: Decoder, value: JsonObject, file: JsonObject): Part {
  const data = { file: d.at('file', () => struct.decode(d, file)) };
  const given = value['metadata'];
  const metadata = isSet(given) ? d.at('metadata', () => struct.decode(d, given)) : undefined;
  return { data, metadata: { ...metadata, [CARRIER.kind]: 'file' } };
}

function encodeReference(data: unknown, metadata: JsonObject | undefined): Record<string, JsonValue> | undefined {
  if (metadata?.[CARRIER.kind] !== 'file' || !isObject(data) || !isObject(data['file'])) return undefined;
  const { file } = data;
  // Anything other than a name would not be decoded as a reference again.
  const isMore = isSet(file['bytes']) || isSet(file['uri']) || Object.keys(data).length > 1;
  if (isMore || Object.keys(file).length === 0) return undefined;
  const rest = uncarry(metadata, [CARRIER.kind]);
  return rest === undefined ? { type: 'file', file } : { type: 'file', file, metadata: rest };
}
