import type { Message } from '../model/message.ts';
import type { Writable } from '../support/writable.ts';

/**
 * A message with the ids of its task. Members are set one by one: what a spread makes and is then added to has a hidden
 * class of its own, each time, and slows down all who read it.
 */
export function addressed(message: Message, taskId: string, contextId: string): Message {
  const { messageId, role, parts, metadata, extensions, referenceTaskIds, unknownMembers } = message;
  const copy: Writable<Message> = { messageId, contextId, taskId, role, parts };
  if (metadata !== undefined) copy.metadata = metadata;
  if (extensions !== undefined) copy.extensions = extensions;
  if (referenceTaskIds !== undefined) copy.referenceTaskIds = referenceTaskIds;
  if (unknownMembers !== undefined) copy.unknownMembers = unknownMembers;
  return copy;
}
