import type { JsonObject, JsonValue } from '../../model/json.ts';
import type { Part } from '../../model/part.ts';
import { CARRIER } from '../carrier.ts';
import { type Codec, isObject, isSet, member } from '../codec.ts';
import type { Reader } from '../reader.ts';
import type { UnknownMembers } from '../../model/unknown-members.ts';
import { unknownInParts, type UnknownMemberRule, withUnknown, writeUnknown } from '../unknown-members.ts';
import { bytes, json, someText, string } from '../values.ts';
import { carriedMetadata, dataObject, filePart, restoreCarried } from './part-carrier.ts';

const NOTHING: Part = Object.freeze({ text: '' });

/** How a dialect before 1.0 tags its parts: `kind` in 0.2 and 0.3, `type` in 0.1. */
export function createPartCodec(tag: 'kind' | 'type', version: UnknownMembers['version']): Codec<Part> {
  const data = createDataCodec(tag);
  const unknown = unknownInParts(version);

  function decodeOfficial(r: Reader, part: JsonObject): Part | undefined {
    switch (part[tag]) {
      case 'text':
        return withUnknown(r, part, unknown, restoreCarried(r, part, { text: member(r, part, 'text', string) }));
      case 'data':
        return withUnknown(r, part, unknown, restoreCarried(r, part, { data: member(r, part, 'data', data) }));
      case 'file':
        return withUnknown(r, part, unknown, restoreCarried(r, part, member(r, part, 'file', file)));
      default:
        return undefined;
    }
  }

  return {
    decode(r, value) {
      if (!isObject(value)) {
        r.violate('an object');
        return NOTHING;
      }
      const part = decodeOfficial(r, value);
      if (part !== undefined) return part;
      const official = r.repair('part', value);
      return (official && decodeOfficial(r, official)) ?? decodeStranger(r, value, tag);
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

/** A kind of part that we do not know: an error in a request; a peer newer than us may answer with one. */
function decodeStranger(r: Reader, part: JsonObject, tag: string): Part {
  const kind = part[tag];
  if (r.role === 'request' || typeof kind !== 'string') {
    r.violate("'text', 'file' or 'data'", tag);
    return NOTHING;
  }
  r.tolerate('part-kind-unknown', "'text', 'file' or 'data'", tag);
  return { data: json.decode(r, part), metadata: { [CARRIER.kind]: kind } };
}

/** An object, in 0.1 also a list. The prose of 0.2 allows lists too, and servers have been seen to answer with anything. */
function createDataCodec(tag: 'kind' | 'type'): Codec<JsonValue> {
  return {
    decode(r, value) {
      const isOfficial = isObject(value) || (tag === 'type' && Array.isArray(value));
      const isBorne = Array.isArray(value) || (r.role === 'response' && value !== undefined);
      if (isBorne && !isOfficial) r.tolerate('data-not-object', 'an object');
      else if (!isOfficial) r.violate('an object');
      return json.decode(r, value);
    },
    encode: (value) => value,
  };
}

/** `{name, mimeType, bytes}` or `{name, mimeType, uri}`. */
const file: Codec<Part> = {
  decode(r, value) {
    if (!isObject(value)) {
      r.violate('an object');
      return NOTHING;
    }
    const official = isSet(value['bytes']) || isSet(value['uri']) ? value : r.repair('file', value);
    if (official === undefined) {
      r.violate('bytes or uri');
      return NOTHING;
    }
    const names: { filename?: string; mediaType?: string } = {};
    if (isSet(official['name'])) names.filename = member(r, official, 'name', string);
    if (isSet(official['mimeType'])) names.mediaType = member(r, official, 'mimeType', string);
    const raw = isSet(official['bytes']) ? member(r, official, 'bytes', bytes) : undefined;
    const url = isSet(official['uri']) ? member(r, official, 'uri', someText) : undefined;
    return filePart(r, raw, url, names);
  },
  encode: (value) => value,
};

/** Members are set one by one: a literal with computed names costs ten times as much here, for every part. */
function tagged(tag: string, kind: string, content: JsonValue, part: Part, unknown: UnknownMemberRule): JsonObject {
  const out: Record<string, JsonValue> = {};
  out[tag] = kind;
  out[kind] = content;
  const metadata = carriedMetadata(part);
  if (metadata !== undefined) out['metadata'] = metadata;
  if (part.unknownMembers !== undefined) writeUnknown(out, part.unknownMembers, unknown);
  return out;
}
