import type { Artifact } from '../../model/artifact.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import { type Message, ROLES, type Role } from '../../model/message.ts';
import type { Part } from '../../model/part.ts';
import { type Codec, defaulted, expected, isObject, objectAsReceived, optional, required } from '../codec.ts';
import { hasUnknown, unknownInMessages, unknownInParts, encodeUnknown } from '../unknown-members.ts';
import { bytes, id, idOrEmpty, json, list, protoEnum, nonEmptyString, string, strings, struct } from '../values.ts';

const role: Codec<Role> = protoEnum(ROLES);
const IN_MESSAGES = unknownInMessages('1.0');
const IN_PARTS = unknownInParts('1.0');

/** All members a part can have; `text: ""` and `data: null` are content (1.0 §4.1.6). */
interface PartMembers {
  readonly text?: string;
  readonly raw?: string;
  readonly url?: string;
  readonly data?: JsonValue;
  readonly metadata?: JsonObject;
  readonly filename?: string;
  readonly mediaType?: string;
}

const partMembers = objectAsReceived<PartMembers>(
  {
    text: optional(string),
    raw: optional(bytes),
    url: optional(nonEmptyString),
    data: optional(json, { nullable: true }),
    metadata: optional(struct),
    filename: defaulted(string),
    mediaType: defaulted(string),
  },
  IN_PARTS,
);

const part: Codec<Part> = {
  decode(d, value) {
    const members = partMembers.decode(d, value);
    if (!isObject(value)) return members as Part;
    const contents =
      Number(members.text !== undefined) +
      Number(members.raw !== undefined) +
      Number(members.url !== undefined) +
      Number(members.data !== undefined);
    if (contents === 1) return members as Part;
    if (contents === 0 && d.role === 'response') {
      // The reference SDK encodes null this way, and content that is newer than itself.
      d.tolerate('part-empty', 'exactly one of text, raw, url, data');
      return { ...members, data: null };
    }
    d.violate('exactly one of text, raw, url, data');
    return members as Part;
  },
  encode: (value) => value,
};

const messageMembers: Codec<Message> = objectAsReceived<Omit<Message, 'unknownMembers'>>(
  {
    messageId: expected(id, (d) => d.newId()),
    contextId: defaulted(idOrEmpty),
    taskId: defaulted(idOrEmpty),
    role: expected(role, () => 'ROLE_UNSPECIFIED'),
    parts: expected(list(part, 1), () => []),
    metadata: optional(struct),
    extensions: defaulted(strings),
    referenceTaskIds: defaulted(strings),
  },
  IN_MESSAGES,
);

/** The model is the 1.0 format, except for messages with unknown members. */
export const message: Codec<Message> = {
  decode: messageMembers.decode,
  encode: (value) => (hasUnknown(value) ? writeUnknownOf1(value) : value),
};

/**
 * The 1.0 format of a message with unknown members: those of 1.0 are encoded next to the others, those of other
 * versions are dropped.
 */
export function writeUnknownOf1({ unknownMembers, parts, ...known }: Message): Message {
  const out = { ...known, parts: parts.map(writePart) };
  encodeUnknown(out, unknownMembers, IN_MESSAGES);
  return out;
}

function writePart({ unknownMembers, ...known }: Part): Part {
  encodeUnknown(known, unknownMembers, IN_PARTS);
  return known;
}

const artifactMembers = {
  name: defaulted(string),
  description: defaulted(string),
  parts: expected(list(part, 1), () => []),
  metadata: optional(struct),
  extensions: defaulted(strings),
};

export const artifact: Codec<Artifact> = objectAsReceived<Artifact>({ artifactId: required(id), ...artifactMembers });

/**
 * An artifact in the list of a task. If a server omits its id, the position in the list is the id, which is the same in
 * every response with the task. Chunks of a stream require an id, because nothing else identifies their artifact.
 */
export const listedArtifact: Codec<Artifact> = objectAsReceived<Artifact>({
  artifactId: expected(id, ({ path, depth }) => `artifact-${path[depth - 1]}`),
  ...artifactMembers,
});
