import { A2AError, markNested } from '../errors.ts';
import type { Message } from '../model/message.ts';
import type { Part } from '../model/part.ts';
import { defined } from '../support/defined.ts';
import { newId } from '../support/id.ts';

/** A message to be sent. Give either `text` or `parts`. */
export interface MessageDraft extends Partial<Omit<Message, 'role' | 'parts'>> {
  readonly text?: string;
  readonly parts?: readonly Part[];
}

/** What can be said to an agent: a text, or more. */
export type MessageInput = string | MessageDraft;

/** @throws A2AError `INVALID_PARAMS` if there is nothing in it. */
export function toMessage(input: MessageInput, more: Pick<Message, 'contextId' | 'taskId'>): Message {
  const { text, parts = [], messageId = newId(), ...rest } = typeof input === 'string' ? { text: input } : input;
  const all = text === undefined ? parts : [{ text }, ...parts];
  if (all.length === 0) throw markNested(new A2AError('INVALID_PARAMS', 'A message needs a text or parts'));
  return { ...defined(more), ...rest, messageId, role: 'ROLE_USER', parts: all };
}
