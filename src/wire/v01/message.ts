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

/** All that 0.1 has. Ids, extensions and references came with 0.2 and have no place here. */
const written: Codec<Pick<Message, 'role' | 'parts' | 'metadata'>> = object<
  Pick<Message, 'role' | 'parts' | 'metadata'>
>(
  {
    role: required(role),
    parts: required(parts),
    metadata: optional(struct),
  },
  { unknown: UNKNOWN },
);

/** A message that is being read; the id comes last. */
export type MessageDraft = Writable<Message>;

type Unnamed = Omit<MessageDraft, 'messageId' | 'unknownMembers'> & { messageId?: string };

/** What callers on their way to a later version send beside it is understood. */
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

const plain: Codec<Unnamed> = object<Unnamed>(fields);
const repairable: Codec<Unnamed> = object<Unnamed>(fields, { seam: 'message', unknown: UNKNOWN });

const KNOWN: ReadonlySet<string> = new Set(Object.keys(fields));

function hasStrangers(json: JsonObject): boolean {
  for (const key in json) if (!KNOWN.has(key)) return true;
  return false;
}

export const message: Codec<Message> = {
  decode(r, json) {
    // Where repairs may look, the id is there already: its absence is official here and a mistake in later versions.
    const odd = isObject(json) && hasStrangers(json);
    const value = odd ? repairable.decode(r, { messageId: r.newId(), ...json }) : plain.decode(r, json);
    // Set in place, for a copy costs as much as all the reading.
    value.messageId ??= r.newId();
    return value as Message;
  },
  encode: written.encode,
};
