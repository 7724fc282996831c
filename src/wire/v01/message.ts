import type { JsonObject } from '../../model/json.ts';
import type { Message } from '../../model/message.ts';
import { type Codec, defaulted, expected, type Fields, isObject, object, optional, required } from '../codec.ts';
import { role } from '../v03/message.ts';
import { unknownInMessages } from '../unknown-members.ts';
import { id, idOrEmpty, list, strings, struct } from '../values.ts';
import type { Writable } from '../../support/writable.ts';
import { part } from './part.ts';

const parts = list(part, 1);
const UNKNOWN = unknownInMessages('0.1');

/** All members that 0.1 has. Ids, extensions and references were added in 0.2. */
const written = object<Pick<Message, 'role' | 'parts' | 'metadata'>>(
  {
    role: required(role),
    parts: required(parts),
    metadata: optional(struct),
  },
  { unknown: UNKNOWN },
);

/** A message while it is decoded; the id is set last. */
export type MessageDraft = Writable<Message>;

type Unnamed = Omit<MessageDraft, 'messageId' | 'unknownMembers'> & { messageId?: string };

/** Members of later versions are accepted, because callers that are being upgraded send them. */
const fields: Fields<Unnamed> = {
  messageId: optional(id),
  role: expected(role, () => 'ROLE_UNSPECIFIED'),
  parts: expected(parts, () => []),
  contextId: defaulted(idOrEmpty),
  taskId: defaulted(idOrEmpty),
  referenceTaskIds: defaulted(strings),
  extensions: defaulted(strings),
  metadata: optional(struct),
};

const plain = object<Unnamed>(fields);
const repairable = object<Unnamed>(fields, { point: 'message', unknown: UNKNOWN });

const KNOWN: ReadonlySet<string> = new Set(Object.keys(fields));

function hasUnknownMembers(json: JsonObject): boolean {
  for (const key in json) if (!KNOWN.has(key)) return true;
  return false;
}

export const message: Codec<Message> = {
  decode(d, json) {
    // Repairs get a message with an id: a missing id is valid in 0.1, but a deviation in later versions.
    const isUnusual = isObject(json) && hasUnknownMembers(json);
    const value = isUnusual ? repairable.decode(d, { messageId: d.newId(), ...json }) : plain.decode(d, json);
    // Set in place, because a copy costs as much as decoding the message.
    value.messageId ??= d.newId();
    return value as Message;
  },
  encode: written.encode,
};
