import type { Artifact } from '../../../model/artifact.ts';
import { type Message, ROLES, type Role } from '../../../model/message.ts';
import { CARRIER, uncarry } from '../../carrier.ts';
import { type Codec, defaulted, expected, object, optional, required } from '../../codec.ts';
import { unknownInMessages } from '../../unknown-members.ts';
import { id, idOrEmpty, list, protoEnum, string, strings, struct } from '../../values.ts';
import { part } from './part.ts';

const role: Codec<Role> = protoEnum(ROLES);

const members: Codec<Message> = object<Omit<Message, 'unknownMembers'>>(
  {
    messageId: expected(id, (d) => d.newId()),
    contextId: defaulted(idOrEmpty),
    taskId: defaulted(idOrEmpty),
    role: expected(role, () => 'ROLE_UNSPECIFIED'),
    // Some peers send messages that mix this style with another, so both forms of the parts are decoded.
    parts: expected(list(part, 1), () => [], { wire: 'content', aliases: ['parts'] }),
    metadata: optional(struct),
    extensions: defaulted(strings),
    // Not in the protocol definition, whose parsers reject unknown members: decoded here, but encoded as metadata.
    referenceTaskIds: defaulted(strings),
  },
  { point: 'message', unknown: unknownInMessages('0.3') },
);

export const message: Codec<Message> = {
  decode(d, json) {
    const value = members.decode(d, json);
    const carried: unknown = value.metadata?.[CARRIER.referenceTaskIds];
    return isListOfIds(carried) ? restoreReferences(value, carried) : value;
  },
  encode(value) {
    if (value.referenceTaskIds === undefined || value.referenceTaskIds.length === 0) return members.encode(value);
    const { referenceTaskIds, metadata, ...rest } = value;
    return members.encode({ ...rest, metadata: { ...metadata, [CARRIER.referenceTaskIds]: referenceTaskIds } });
  },
};

function isListOfIds(carried: unknown): carried is readonly string[] {
  return Array.isArray(carried) && carried.length > 0 && carried.every((item) => typeof item === 'string');
}

function restoreReferences({ metadata = {}, ...rest }: Message, referenceTaskIds: readonly string[]): Message {
  const left = uncarry(metadata, [CARRIER.referenceTaskIds]);
  return left === undefined ? { ...rest, referenceTaskIds } : { ...rest, metadata: left, referenceTaskIds };
}

export const artifact: Codec<Artifact> = object<Artifact>({
  artifactId: required(id),
  name: defaulted(string),
  description: defaulted(string),
  parts: expected(list(part, 1), () => []),
  metadata: optional(struct),
  extensions: defaulted(strings),
});
