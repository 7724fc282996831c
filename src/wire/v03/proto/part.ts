import type { JsonValue } from '../../../model/json.ts';
import type { Part, RawPart, UrlPart } from '../../../model/part.ts';
import { type Codec, defaulted, isObject, isSet, member, object, optional, required } from '../../codec.ts';
import { bytes, json, someText, string, struct } from '../../values.ts';
import { encodedBase64 } from '../../../support/base64.ts';
import type { Reader } from '../../reader.ts';
import { unknownInParts, withUnknown, writeUnknown } from '../../unknown-members.ts';
import { carriedMetadata, dataObject, filePart, restoreCarried } from '../part-carrier.ts';
import type { Writable } from '../../../support/writable.ts';

const NOTHING: Part = Object.freeze({ text: '' });
const UNKNOWN = unknownInParts('0.3');

/** `name` is missing from the tagged protocol definition, but all SDKs of 0.3 have it. */
interface ProtoFile {
  readonly fileWithUri?: string;
  readonly fileWithBytes?: string;
  readonly mimeType?: string;
  readonly name?: string;
}

const fileMembers: Codec<ProtoFile> = object<ProtoFile>({
  fileWithUri: optional(someText),
  fileWithBytes: optional(bytes),
  mimeType: defaulted(string),
  name: defaulted(string),
});

const file: Codec<Part> = {
  decode(r, json) {
    const { fileWithBytes, fileWithUri, mimeType, name } = fileMembers.decode(r, json);
    if (fileWithBytes === undefined && fileWithUri === undefined && isObject(json)) {
      r.violate('fileWithBytes or fileWithUri');
    }
    const names: { filename?: string; mediaType?: string } = {};
    if (name !== undefined) names.filename = name;
    if (mimeType !== undefined) names.mediaType = mimeType;
    return filePart(r, fileWithBytes && decodedTwice(r, fileWithBytes, mimeType), fileWithUri, names);
  },
  encode: (value) => value,
};

/**
 * The Python SDK 0.3 and 1.x and the Go SDK 2.x encode the bytes of a file twice over REST of 0.3. So content that is base64
 * itself is decoded once more, except text, which a correct peer may mean as it is. Base64 of 8 characters or more is canonical
 * by chance in few files, and reading them as they are would corrupt every file of these SDKs.
 */
function decodedTwice(r: Reader, content: string, mediaType: string | undefined): string {
  if (r.strict || mediaType?.toLowerCase().startsWith('text/') === true) return content;
  const inner = encodedBase64(content);
  if (inner === undefined) return content;
  r.warn('file-bytes-encoded-twice', 'expected base64 once; decoded it twice', 'fileWithBytes');
  return inner;
}

/** A `Struct` is an object, but servers of the Go SDK 2.x send lists and plain values there, too. */
const structOrValue: Codec<JsonValue> = {
  decode(r, value) {
    if (r.role === 'request' || isObject(value)) return struct.decode(r, value);
    r.tolerate('data-not-object', 'an object');
    return json.decode(r, value);
  },
  encode: (value) => value,
};

const dataMembers: Codec<{ readonly data: JsonValue }> = object<{ readonly data: JsonValue }>({
  data: required(structOrValue),
});

const data: Codec<JsonValue> = {
  decode(r, json) {
    // An object that is empty may be left out, as any default; what lies here directly is another style's data.
    if (isObject(json) && Object.keys(json).length === 0) return {};
    return dataMembers.decode(r, json).data;
  },
  encode: (value) => dataMembers.encode({ data: value }),
};

/** The kind of a part is the one member it has. `metadata` too is younger than the tagged protocol definition. */
export const part: Codec<Part> = {
  decode(r, json) {
    if (!isObject(json)) {
      r.violate('an object');
      return NOTHING;
    }
    const isText = isSet(json['text']);
    const isFile = isSet(json['file']);
    const isData = isSet(json['data']);
    if (Number(isText) + Number(isFile) + Number(isData) !== 1) {
      r.violate('exactly one of text, file, data');
      return NOTHING;
    }
    const content: Part = isText
      ? { text: member(r, json, 'text', string) }
      : isData
        ? { data: member(r, json, 'data', data) }
        : member(r, json, 'file', file);
    return withUnknown(r, json, UNKNOWN, restoreCarried(r, json, content));
  },

  encode(part) {
    const encoded = encodeKnown(part);
    if (part.unknownMembers !== undefined) writeUnknown(encoded, part.unknownMembers, UNKNOWN);
    return encoded;
  },
};

function encodeKnown(part: Part): Record<string, unknown> {
  const metadata = carriedMetadata(part);
  if ('text' in part) return metadata === undefined ? { text: part.text } : { text: part.text, metadata };
  const content = 'data' in part ? { data: { data: dataObject(part) } } : { file: encodeFile(part) };
  return metadata === undefined ? content : { ...content, metadata };
}

/** Filled in place, which is several times faster than spreading, and files are what makes messages large. */
function encodeFile(part: RawPart | UrlPart): ProtoFile {
  const file: Writable<ProtoFile> = 'raw' in part ? { fileWithBytes: part.raw } : { fileWithUri: part.url };
  if (part.mediaType !== undefined) file.mimeType = part.mediaType;
  if (part.filename !== undefined) file.name = part.filename;
  return file;
}
