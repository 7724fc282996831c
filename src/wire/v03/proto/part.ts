import type { JsonValue } from '../../../model/json.ts';
import type { Part, RawPart, UrlPart } from '../../../model/part.ts';
import { type Codec, defaulted, isObject, isSet, member, object, optional, required } from '../../codec.ts';
import { bytes, json, nonEmptyString, string, struct } from '../../values.ts';
import { encodedBase64 } from '../../../support/base64.ts';
import type { Decoder } from '../../decoder.ts';
import { unknownInParts, withUnknown, encodeUnknown } from '../../unknown-members.ts';
import { carriedMetadata, dataObject, filePart, restoreCarried } from '../part-carrier.ts';
import type { Writable } from '../../../support/writable.ts';

const NOTHING: Part = Object.freeze({ text: '' });
const UNKNOWN = unknownInParts('0.3');

/** The tagged release of the protocol definition lacks `name`, but all 0.3 SDKs have it. */
interface ProtoFile {
  readonly fileWithUri?: string;
  readonly fileWithBytes?: string;
  readonly mimeType?: string;
  readonly name?: string;
}

const fileMembers = object<ProtoFile>({
  fileWithUri: optional(nonEmptyString),
  fileWithBytes: optional(bytes),
  mimeType: defaulted(string),
  name: defaulted(string),
});

const file: Codec<Part> = {
  decode(d, json) {
    const { fileWithBytes, fileWithUri, mimeType, name } = fileMembers.decode(d, json);
    if (fileWithBytes === undefined && fileWithUri === undefined && isObject(json)) {
      d.violate('fileWithBytes or fileWithUri');
    }
    const names: { filename?: string; mediaType?: string } = {};
    if (name !== undefined) names.filename = name;
    if (mimeType !== undefined) names.mediaType = mimeType;
    return filePart(d, fileWithBytes && decodedTwice(d, fileWithBytes, mimeType), fileWithUri, names);
  },
  encode: (value) => value,
};

/**
 * The Python SDK 0.3 and 1.x and the Go SDK 2.x encode the bytes of a file twice over REST of 0.3. So content that is
 * base64 itself is decoded once more, except text, which a correct peer may have sent as such. Few files are canonical
 * base64 of 8 characters or more by chance, and without the second decoding every file of these SDKs would be corrupt.
 */
function decodedTwice(d: Decoder, content: string, mediaType: string | undefined): string {
  if (d.strict || mediaType?.toLowerCase().startsWith('text/') === true) return content;
  const inner = encodedBase64(content);
  if (inner === undefined) return content;
  d.warn('file-bytes-encoded-twice', 'expected base64 once; decoded it twice', 'fileWithBytes');
  return inner;
}

/** A `Struct` is an object, but servers of the Go SDK 2.x send lists and plain values there, too. */
const structOrValue: Codec<JsonValue> = {
  decode(d, value) {
    if (d.role === 'request' || isObject(value)) return struct.decode(d, value);
    d.tolerate('data-not-object', 'an object');
    return json.decode(d, value);
  },
  encode: (value) => value,
};

const dataMembers = object<{ readonly data: JsonValue }>({
  data: required(structOrValue),
});

const data: Codec<JsonValue> = {
  decode(d, json) {
    // An empty object may be omitted like any default. Members outside of `data` are data of another style.
    if (isObject(json) && Object.keys(json).length === 0) return {};
    return dataMembers.decode(d, json).data;
  },
  encode: (value) => dataMembers.encode({ data: value }),
};

/** A part has one content member, which determines its kind. `metadata` is also missing from the tagged release. */
export const part: Codec<Part> = {
  decode(d, json) {
    if (!isObject(json)) {
      d.violate('an object');
      return NOTHING;
    }
    const isText = isSet(json['text']);
    const isFile = isSet(json['file']);
    const isData = isSet(json['data']);
    if (Number(isText) + Number(isFile) + Number(isData) !== 1) {
      d.violate('exactly one of text, file, data');
      return NOTHING;
    }
    const content: Part = isText
      ? { text: member(d, json, 'text', string) }
      : isData
        ? { data: member(d, json, 'data', data) }
        : member(d, json, 'file', file);
    return withUnknown(d, json, UNKNOWN, restoreCarried(d, json, content));
  },

  encode(part) {
    const encoded = encodeKnown(part);
    if (part.unknownMembers !== undefined) encodeUnknown(encoded, part.unknownMembers, UNKNOWN);
    return encoded;
  },
};

function encodeKnown(part: Part): Record<string, unknown> {
  const metadata = carriedMetadata(part);
  if ('text' in part) return metadata === undefined ? { text: part.text } : { text: part.text, metadata };
  const content = 'data' in part ? { data: { data: dataObject(part) } } : { file: encodeFile(part) };
  return metadata === undefined ? content : { ...content, metadata };
}

/** Set in place, which is several times faster than spreading, and files are the largest parts of messages. */
function encodeFile(part: RawPart | UrlPart): ProtoFile {
  const file: Writable<ProtoFile> = 'raw' in part ? { fileWithBytes: part.raw } : { fileWithUri: part.url };
  if (part.mediaType !== undefined) file.mimeType = part.mediaType;
  if (part.filename !== undefined) file.name = part.filename;
  return file;
}
