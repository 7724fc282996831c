import { expect, test } from 'vitest';
import type { Part } from './part.ts';
import { withJoinedTexts } from './text-parts.ts';

test('adjacent texts are joined', () => {
  expect(withJoinedTexts([{ text: 'a' }, { text: 'b' }])).toEqual([{ text: 'ab' }]);
});

test('a text with unknown members is not joined with adjacent texts, because the members would be lost', () => {
  const odd: Part = { text: 'b', unknownMembers: { version: '1.0', members: { x: 1 } } };
  const parts = [{ text: 'a' }, odd, { text: 'c' }];
  expect(withJoinedTexts(parts)).toBe(parts);
});
