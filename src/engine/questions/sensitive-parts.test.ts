import { expect, test } from 'vitest';
import type { Message } from '../../model/message.ts';
import { SENSITIVE } from '../../model/question.ts';
import { redacted, withoutSensitive } from './sensitive-parts.ts';

const unknownMembers = { version: '1.0', members: { note: 'hunter2' } } as const;
const MESSAGE: Message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'a' }], unknownMembers };

test('a message without sensitive parts keeps its unknown members', () => {
  expect(withoutSensitive(MESSAGE)).toBe(MESSAGE);
});

test('a message with a sensitive part loses its own unknown members and those of that part, not those of other parts', () => {
  const secret = { text: 'b', metadata: { [SENSITIVE]: true }, unknownMembers };
  const open = { text: 'a', unknownMembers: { version: '1.0', members: { page: 1 } } } as const;
  const shown = withoutSensitive({ ...MESSAGE, parts: [open, secret] });
  expect(shown).toEqual({ messageId: 'm', role: 'ROLE_USER', parts: [open, { text: '[redacted]' }] });
});

test('a redacted message has no unknown members', () => {
  expect(redacted(MESSAGE)).not.toHaveProperty('unknownMembers');
});
