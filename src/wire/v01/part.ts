import type { JsonObject, JsonValue } from '../../model/json.ts';
import type { Part } from '../../model/part.ts';
import { CARRIER, uncarry } from '../carrier.ts';
import { type Codec, isObject, isSet } from '../codec.ts';
import type { Reader } from '../reader.ts';
import { createPartCodec } from '../v03/part.ts';
import { unknownInParts, withUnknown, writeUnknown } from '../unknown-members.ts';
import { struct } from '../values.ts';

const tagged = createPartCodec('type', '0.1');
const UNKNOWN = unknownInParts('0.1');

/**
 * Parts of 0.1: tagged by `type`, data may be a list as well as an object, and a file may be a mere reference, with a
 * name but neither bytes nor address. The model keeps such a reference as data and marks where it came from.
 */
export const part: Codec<Part> = {
  decode(r, json) {
    const value = isObject(json) && !isSet(json['type']) ? retag(r, json) : json;
    if (!isObject(value) || value['type'] !== 'file' || !isObject(value['file'])) return tagged.decode(r, value);
    const { file } = value;
    if (isSet(file['bytes']) || isSet(file['uri'])) return tagged.decode(r, value);
    const repaired = r.at('file', () => r.repair('file', file));
    if (repaired !== undefined) return tagged.decode(r, { ...value, file: repaired });
    if (Object.keys(file).length === 0) return tagged.decode(r, value);
    return withUnknown(r, value, UNKNOWN, decodeReference(r, value, file));
  },

  encode(value) {
    if (!('data' in value)) return tagged.encode(value);
    if (Array.isArray(value.data))
      return { ...(tagged.encode({ ...value, data: {} }) as JsonObject), data: value.data };
    const reference = encodeReference(value.data, value.metadata);
    if (reference === undefined) return tagged.encode(value);
    writeUnknown(reference, value.unknownMembers, UNKNOWN);
    return reference;
  },
};

/** Repairs, and callers who mix the versions, speak of `kind`, the tag of the later ones. */
function retag(r: Reader, json: JsonObject): JsonObject {
  const repaired = r.repair('part', json);
  if (repaired === undefined && isSet(json['kind'])) r.tolerate('part-kind-tag', 'the member type', 'type');
  const { kind, ...rest } = repaired ?? json;
  return kind === undefined ? json : { type: kind, ...rest };
}

function decodeReference(r: Reader, value: JsonObject, file: JsonObject): Part {
  const data = { file: r.at('file', () => struct.decode(r, file)) };
  const given = value['metadata'];
  const metadata = isSet(given) ? r.at('metadata', () => struct.decode(r, given)) : undefined;
  return { data, metadata: { ...metadata, [CARRIER.kind]: 'file' } };
}

function encodeReference(data: unknown, metadata: JsonObject | undefined): Record<string, JsonValue> | undefined {
  if (metadata?.[CARRIER.kind] !== 'file' || !isObject(data) || !isObject(data['file'])) return undefined;
  const { file } = data;
  // What is no mere reference could not be read back as one.
  const isMore = isSet(file['bytes']) || isSet(file['uri']) || Object.keys(data).length > 1;
  if (isMore || Object.keys(file).length === 0) return undefined;
  const rest = uncarry(metadata, [CARRIER.kind]);
  return rest === undefined ? { type: 'file', file } : { type: 'file', file, metadata: rest };
}
