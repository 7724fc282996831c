import type { Message } from '../../model/message.ts';
import type { Writable } from '../../support/writable.ts';

/**
 * A copy of a message with the ids of its task. Members are set one by one, because adding a member to a spread creates a
 * new hidden class each time, which slows down all code that reads it.
 */
export function withTaskIds(message: Message, taskId: string, contextId: string): Message {
  const { messageId, role, parts, metadata, extensions, referenceTaskIds, unknownMembers } = message;
  const copy: Writable<Message> = { messageId, contextId, taskId, role, parts };
  if (metadata !== undefined) copy.metadata = metadata;
  if (extensions !== undefined) copy.extensions = extensions;
  if (referenceTaskIds !== undefined) copy.referenceTaskIds = referenceTaskIds;
  if (unknownMembers !== undefined) copy.unknownMembers = unknownMembers;
  return copy;
}
