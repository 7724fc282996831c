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
  ['text with its media type', { text: 'hi', mediaType: 'text/plain' }],
  ['text with a media type in capitals and with parameters', { text: 'hi', mediaType: 'Text/Plain; charset=UTF-8' }],
  ['data', { data: null }],
  ['a file within an accepted range', { raw: 'AA==', mediaType: 'image/png' }],
  ['a file without a media type', { raw: 'AA==' }],
  ['a link without a media type', { url: 'https://example.com/a.exe', filename: 'a.exe' }],
])('%s is admitted', (_, part) => {
  expect(() => modes.admit(message(part))).not.toThrow();
});

test('a message without parts is admitted', () => {
  expect(() => modes.admit(message())).not.toThrow();
});

test.each<[string, Part]>([
  ['text of another media type', { text: '<p>', mediaType: 'text/html' }],
  ['data of another media type', { data: 1, mediaType: 'application/xml' }],
  ['a file of another media type', { raw: 'AA==', mediaType: 'video/mp4' }],
  ['a link of another media type', { url: 'https://example.com', mediaType: 'video/mp4' }],
  ['a file with a media range as media type', { raw: 'AA==', mediaType: '*/*' }],
  ['a file with an invalid media type', { raw: 'AA==', mediaType: 'nonsense' }],
])('%s is rejected', (_, part) => {
  expect(rejection(() => modes.admit(message(part)))).toBeDefined();
});

test('the error lists each rejected part, its media type and the accepted ones', () => {
  const parts: Part[] = [{ raw: '', mediaType: 'video/mp4' }, { text: '' }, { raw: '', mediaType: 'x'.repeat(99) }];
  const error = rejection(() => modes.admit(message(...parts)));
  const takes = 'expected text/plain, application/json, image/*';
  expect(error?.violations).toEqual([
    { field: 'message.parts[0].mediaType', description: `${takes}; it is "video/mp4"` },
    { field: 'message.parts[2].mediaType', description: `${takes}; it is "${'x'.repeat(64)}…"` },
  ]);
  expect(error?.message).toContain('message.parts[0].mediaType: expected text/plain');
  expect(error?.details).toEqual({ inputModes: 'text/plain, application/json, image/*' });
});

test('the error lists at most twenty parts', () => {
  const parts = Array.from({ length: 99 }, () => ({ raw: '', mediaType: 'a/b' }));
  expect(rejection(() => modes.admit(message(...parts)))?.violations).toHaveLength(20);
});

test.each([
  [['text/plain']],
  [['TEXT/PLAIN;q=0.5']],
  [['text/html', 'text/*']],
  [['*/*']],
  [['audio/ogg']],
  [['text']],
  [['voice', '*']],
])('a caller that accepts %j is admitted', (accepted) => {
  expect(() => modes.admitOutputModes(accepted)).not.toThrow();
});

test.each([[['text/html']], [['image/*', 'video/mp4']], [['voice']], [['']]])(
  'a caller that accepts %j is rejected',
  (accepted) => {
    const error = rejection(() => modes.admitOutputModes(accepted));
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

function rejection(run: () => void): A2AError | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (A2AError.is(error, 'CONTENT_TYPE_NOT_SUPPORTED')) return error;
    throw error;
  }
}
