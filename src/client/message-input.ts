import { A2AError, markNested } from '../errors.ts';
import type { Message } from '../model/message.ts';
import type { Part, PartInput } from '../model/part.ts';
import { toJson } from '../support/json/to-json.ts';
import { defined } from '../support/defined.ts';
import { newId } from '../support/id.ts';

/**
 * A message to send. It needs `text`, `parts` or both. A `messageId` is generated if not set.
 *
 * @example { text: 'Summarize this', parts: [{ url: 'https://example.com/report.pdf', mediaType: 'application/pdf' }] }
 */
export interface MessageDraft extends Partial<Omit<Message, 'role' | 'parts'>> {
  /** Becomes the first part of the message. */
  readonly text?: string;
  /** The parts of the message, after `text`. */
  readonly parts?: readonly PartInput[];
}

/** A message for an agent: its text, or a draft with parts and metadata. */
export type MessageInput = string | MessageDraft;

/** @throws A2AError `INVALID_PARAMS` if the message has no parts. */
export function toMessage(input: MessageInput, more: Pick<Message, 'contextId' | 'taskId'>): Message {
  const { text, parts = [], messageId = newId(), ...rest } = typeof input === 'string' ? { text: input } : input;
  const all = text === undefined ? parts : [{ text }, ...parts];
  if (all.length === 0) {
    throw markNested(new A2AError('INVALID_PARAMS', 'message: expected text or at least one part, got neither'));
  }
  return { ...defined(more), ...rest, messageId, role: 'ROLE_USER', parts: all.map(toPart) };
}

function toPart(part: PartInput, i: number): Part {
  return 'data' in part ? ({ ...part, data: toJson(part.data, `parts[${i}].data`) } as Part) : part;
}
