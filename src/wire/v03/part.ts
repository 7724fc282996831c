import type { JsonObject, JsonValue } from '../../model/json.ts';
import type { Part } from '../../model/part.ts';
import { CARRIER } from '../carrier.ts';
import { type Codec, isObject, isSet, member } from '../codec.ts';
import type { Decoder } from '../decoder.ts';
import type { UnknownMembers } from '../../model/unknown-members.ts';
import { unknownInParts, type UnknownMemberRule, withUnknown, encodeUnknown } from '../unknown-members.ts';
import { bytes, json, nonEmptyString, string } from '../values.ts';
import { carriedMetadata, dataObject, filePart, restoreCarried } from './part-carrier.ts';

const NOTHING: Part = Object.freeze({ text: '' });

/** The tag of parts in a dialect before 1.0: `kind` in 0.2 and 0.3, `type` in 0.1. */
export function createPartCodec(tag: 'kind' | 'type', version: UnknownMembers['version']): Codec<Part> {
  const data = createDataCodec(tag);
  const unknown = unknownInParts(version);

  function decodeOfficial(d: Decoder, part: JsonObject): Part | undefined {
    switch (part[tag]) {
      case 'text':
        return withUnknown(d, part, unknown, restoreCarried(d, part, { text: member(d, part, 'text', string) }));
      case 'data':
        return withUnknown(d, part, unknown, restoreCarried(d, part, { data: member(d, part, 'data', data) }));
      case 'file':
        return withUnknown(d, part, unknown, restoreCarried(d, part, member(d, part, 'file', file)));
      default:
        return undefined;
    }
  }

  return {
    decode(d, value) {
      if (!isObject(value)) {
        d.violate('an object');
        return NOTHING;
      }
      const part = decodeOfficial(d, value);
      if (part !== undefined) return part;
      const official = d.repair('part', value);
      return (official && decodeOfficial(d, official)) ?? decodeUnknownPart(d, value, tag);
    },

    encode(part) {
      if ('text' in part) return tagged(tag, 'text', part.text, part, unknown);
      if ('data' in part) return tagged(tag, 'data', dataObject(part), part, unknown);
      const written: Record<string, string> = {};
      if (part.filename !== undefined) written['name'] = part.filename;
      if (part.mediaType !== undefined) written['mimeType'] = part.mediaType;
      if ('raw' in part) written['bytes'] = part.raw;
      else written['uri'] = part.url;
      return tagged(tag, 'file', written, part, unknown);
    },
  };
}

/** An unknown kind of part: an error in a request, but accepted in a response, because a peer may be newer. */
function decodeUnknownPart(d: Decoder, part: JsonObject, tag: string): Part {
  const kind = part[tag];
  if (d.role === 'request' || typeof kind !== 'string') {
    d.violate("'text', 'file' or 'data'", tag);
    return NOTHING;
  }
  d.tolerate('part-kind-unknown', "'text', 'file' or 'data'", tag);
  return { data: json.decode(d, part), metadata: { [CARRIER.kind]: kind } };
}

/** An object, in 0.1 also a list. The prose of 0.2 also allows lists, and some servers send any value. */
function createDataCodec(tag: 'kind' | 'type'): Codec<JsonValue> {
  return {
    decode(d, value) {
      const isOfficial = isObject(value) || (tag === 'type' && Array.isArray(value));
      const isAccepted = Array.isArray(value) || (d.role === 'response' && value !== undefined);
      if (isAccepted && !isOfficial) d.tolerate('data-not-object', 'an object');
      else if (!isOfficial) d.violate('an object');
      return json.decode(d, value);
    },
    encode: (value) => value,
  };
}

/** `{name, mimeType, bytes}` or `{name, mimeType, uri}`. */
const file: Codec<Part> = {
  decode(d, value) {
    if (!isObject(value)) {
      d.violate('an object');
      return NOTHING;
    }
    const official = isSet(value['bytes']) || isSet(value['uri']) ? value : d.repair('file', value);
    if (official === undefined) {
      d.violate('bytes or uri');
      return NOTHING;
    }
    const names: { filename?: string; mediaType?: string } = {};
    if (isSet(official['name'])) names.filename = member(d, official, 'name', string);
    if (isSet(official['mimeType'])) names.mediaType = member(d, official, 'mimeType', string);
    const raw = isSet(official['bytes']) ? member(d, official, 'bytes', bytes) : undefined;
    const url = isSet(official['uri']) ? member(d, official, 'uri', nonEmptyString) : undefined;
    return filePart(d, raw, url, names);
  },
  encode: (value) => value,
};

/** Members are set individually: a literal with computed names costs ten times as much here, for every part. */
function tagged(tag: string, kind: string, content: JsonValue, part: Part, unknown: UnknownMemberRule): JsonObject {
  const out: Record<string, JsonValue> = {};
  out[tag] = kind;
  out[kind] = content;
  const metadata = carriedMetadata(part);
  if (metadata !== undefined) out['metadata'] = metadata;
  if (part.unknownMembers !== undefined) encodeUnknown(out, part.unknownMembers, unknown);
  return out;
}
