import type { JsonObject } from './json.ts';
import type { Part } from './part.ts';
import type { UnknownMembers } from './unknown-members.ts';

export const ROLES = ['ROLE_UNSPECIFIED', 'ROLE_USER', 'ROLE_AGENT'] as const;

/** The sender of a message. `ROLE_UNSPECIFIED` occurs only in messages of other agents; Tandem never sends it. */
export type Role = (typeof ROLES)[number];

/** A message of a conversation (1.0 §4.1.4). */
export interface Message {
  /** Identifier chosen by the sender, unique per message. */
  readonly messageId: string;
  /** Context that the message belongs to. */
  readonly contextId?: string;
  /** Task that the message continues. */
  readonly taskId?: string;
  /** Sender of the message. */
  readonly role: Role;
  /** Content of the message, at least one part. */
  readonly parts: readonly Part[];
  /** Custom data about the message. */
  readonly metadata?: JsonObject;
  /** URIs of the extensions that the message uses. */
  readonly extensions?: readonly string[];
  /** Ids of other tasks that the message refers to. */
  readonly referenceTaskIds?: readonly string[];
  /** Members that the protocol version of the sender does not define. Set only in messages that a server received. */
  readonly unknownMembers?: UnknownMembers;
}
