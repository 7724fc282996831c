import type { Message } from '../model/message.ts';
import type { Part } from '../model/part.ts';
import { textOfParts } from '../model/part-text.ts';
import { SENSITIVE } from '../model/question.ts';

const HIDDEN: Part = Object.freeze({ text: '[redacted]' });

export function isSensitive({ metadata }: Part): boolean {
  return metadata !== undefined && metadata[SENSITIVE] === true;
}

/** The credential that a message brings: the text of the parts that are marked as sensitive. */
export function credentialIn({ parts }: Message): string | undefined {
  return textOfParts(parts.filter(isSensitive)) || undefined;
}

/** A message as everybody may see it: what is marked as sensitive is left out. */
export function withoutSensitive(message: Message): Message {
  if (!message.parts.some(isSensitive)) return message;
  return { ...message, parts: message.parts.map((part) => (isSensitive(part) ? HIDDEN : part)) };
}

/** That there was a message, and nothing of what it said. */
export function redacted({ messageId, taskId = '', contextId = '', role }: Message): Message {
  return { messageId, taskId, contextId, role, parts: [HIDDEN] };
}
