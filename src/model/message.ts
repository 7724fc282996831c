import type { JsonObject } from './json.ts';
import type { Part } from './part.ts';
import type { UnknownMembers } from './unknown-members.ts';

export const ROLES = ['ROLE_UNSPECIFIED', 'ROLE_USER', 'ROLE_AGENT'] as const;

/** Who speaks. `ROLE_UNSPECIFIED` is only ever read from a peer, never sent by us. */
export type Role = (typeof ROLES)[number];

/** One turn of a conversation (1.0 §4.1.4). */
export interface Message {
  readonly messageId: string;
  readonly contextId?: string;
  readonly taskId?: string;
  readonly role: Role;
  readonly parts: readonly Part[];
  readonly metadata?: JsonObject;
  readonly extensions?: readonly string[];
  readonly referenceTaskIds?: readonly string[];
  /** Members that the protocol version of the sender does not define; only in messages that a server received. */
  readonly unknownMembers?: UnknownMembers;
}
