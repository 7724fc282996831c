import { expect, test } from 'vitest';
import { A2AError } from '../errors.ts';
import type { Message } from '../model/message.ts';
import type { Part } from '../model/part.ts';
import { createModes } from './modes.ts';

const modes = createModes(['text/plain', 'application/json', 'image/*'], ['text/plain', 'audio/*']);

test.each<[string, Part]>([
  ['text', { text: 'hi' }],
  ['an empty text', { text: '' }],
  ['a blank text', { text: ' \n' }],
  ['text that says what it is', { text: 'hi', mediaType: 'text/plain' }],
  ['parameters and capitals', { text: 'hi', mediaType: 'Text/Plain; charset=UTF-8' }],
  ['data', { data: null }],
  ['a file of a kind', { raw: 'AA==', mediaType: 'image/png' }],
  ['a file that does not say what it is', { raw: 'AA==' }],
  ['a link that does not say what it is', { url: 'https://example.com/a.exe', filename: 'a.exe' }],
])('%s is admitted', (_, part) => {
  expect(() => modes.admit(message(part))).not.toThrow();
});

test('a message without parts is admitted', () => {
  expect(() => modes.admit(message())).not.toThrow();
});

test.each<[string, Part]>([
  ['text of another kind', { text: '<p>', mediaType: 'text/html' }],
  ['data of another kind', { data: 1, mediaType: 'application/xml' }],
  ['a file of another kind', { raw: 'AA==', mediaType: 'video/mp4' }],
  ['a link of another kind', { url: 'https://example.com', mediaType: 'video/mp4' }],
  ['a range', { raw: 'AA==', mediaType: '*/*' }],
  ['nonsense', { raw: 'AA==', mediaType: 'nonsense' }],
])('%s is refused', (_, part) => {
  expect(refusal(() => modes.admit(message(part)))).toBeDefined();
});

test('a refusal names each part, what it is, and what is taken', () => {
  const parts: Part[] = [{ raw: '', mediaType: 'video/mp4' }, { text: '' }, { raw: '', mediaType: 'x'.repeat(99) }];
  const error = refusal(() => modes.admit(message(...parts)));
  const takes = 'expected text/plain, application/json, image/*';
  expect(error?.violations).toEqual([
    { field: 'message.parts[0].mediaType', description: `${takes}; it is "video/mp4"` },
    { field: 'message.parts[2].mediaType', description: `${takes}; it is "${'x'.repeat(64)}…"` },
  ]);
  expect(error?.message).toContain('message.parts[0].mediaType: expected text/plain');
  expect(error?.details).toEqual({ inputModes: 'text/plain, application/json, image/*' });
});

test('a refusal names no more than twenty parts', () => {
  const parts = Array.from({ length: 99 }, () => ({ raw: '', mediaType: 'a/b' }));
  expect(refusal(() => modes.admit(message(...parts)))?.violations).toHaveLength(20);
});

test.each([
  [['text/plain']],
  [['TEXT/PLAIN;q=0.5']],
  [['text/html', 'text/*']],
  [['*/*']],
  [['audio/ogg']],
  [['text']],
  [['voice', '*']],
])('a caller who takes %j is admitted', (accepted) => {
  expect(() => modes.admitOutputModes(accepted)).not.toThrow();
});

test.each([[['text/html']], [['image/*', 'video/mp4']], [['voice']], [['']]])(
  'a caller who takes %j is refused',
  (accepted) => {
    const error = refusal(() => modes.admitOutputModes(accepted));
    expect(error?.violations).toEqual([
      { field: 'configuration.acceptedOutputModes', description: 'expected one or more of text/plain, audio/*' },
    ]);
    expect(error?.details).toEqual({ outputModes: 'text/plain, audio/*' });
  },
);

test.each([
  ['text/plain', true],
  ['text/plain; charset=utf-8', true],
  ['audio/ogg', true],
  ['image/png', false],
  ['text/html', false],
])('whether the agent declares output of %s: %s', (mediaType, isDeclared) => {
  expect(modes.declaresOutput(mediaType)).toBe(isDeclared);
});

function message(...parts: readonly Part[]): Message {
  return { messageId: 'm', role: 'ROLE_USER', parts };
}

function refusal(run: () => void): A2AError | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (A2AError.is(error, 'CONTENT_TYPE_NOT_SUPPORTED')) return error;
    throw error;
  }
}
