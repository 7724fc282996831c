import type { Message } from '../../model/message.ts';
import type { Part } from '../../model/part.ts';
import { textOfParts } from '../../model/part-text.ts';
import { SENSITIVE } from '../../model/question.ts';

const HIDDEN: Part = Object.freeze({ text: '[redacted]' });

export function isSensitive({ metadata }: Part): boolean {
  return metadata !== undefined && metadata[SENSITIVE] === true;
}

/** Whether a message has a part that is marked as sensitive. */
export function hasSensitive({ parts }: Message): boolean {
  return parts.some(isSensitive);
}

/** The credential in a message: the text of the parts that are marked as sensitive. */
export function credentialIn({ parts }: Message): string | undefined {
  return textOfParts(parts.filter(isSensitive)) || undefined;
}

/**
 * A message for the history: sensitive parts are replaced by `[redacted]`, and the unknown members are removed of the message, because they
 * may repeat the content.
 */
export function withoutSensitive(message: Message): Message {
  if (!hasSensitive(message)) return message;
  const { unknownMembers: _, ...known } = message;
  return { ...known, parts: message.parts.map((part) => (isSensitive(part) ? HIDDEN : part)) };
}

/** A message without the unknown members of itself and its parts. */
export function withoutUnknown({ unknownMembers: _, parts, ...known }: Message): Message {
  return { ...known, parts: parts.map(({ unknownMembers: __, ...part }) => part) };
}

/** A message for the history without any of its content. */
export function redacted({ messageId, taskId = '', contextId = '', role }: Message): Message {
  return { messageId, taskId, contextId, role, parts: [HIDDEN] };
}
