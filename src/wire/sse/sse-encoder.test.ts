import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type SseEvent, SseDecoder } from './sse-decoder.ts';
import { encodeComment, encodeSse } from './sse-encoder.ts';

test.each([
  ['data alone', { data: '{"a":1}' }, 'data: {"a":1}\n\n'],
  ['empty data', { data: '' }, 'data: \n\n'],
  ['everything', { data: 'x', event: 'error', id: '7', retryMs: 0 }, 'id: 7\nevent: error\nretry: 0\ndata: x\n\n'],
  ['an empty id, which takes an earlier one away', { data: 'x', id: '' }, 'id: \ndata: x\n\n'],
  ['a lone CR', { data: 'a\rb' }, 'data: a\ndata: b\n\n'],
  ['line breaks of each kind', { data: 'a\nb\r\nc\rd\n' }, 'data: a\ndata: b\ndata: c\ndata: d\ndata: \n\n'],
])('an event is encoded line by line: %s', (_case, frame, text) => {
  expect(encodeSse(frame)).toBe(text);
});

test.each([
  ['id with LF', { id: '1\ndata: forged' }],
  ['id with CR', { id: '1\r' }],
  ['id with NUL, which decoders ignore', { id: '1\0' }],
  ['type with LF', { event: 'a\n\n' }],
  ['type with CR', { event: 'a\rb' }],
  ['negative time', { retryMs: -1 }],
  ['fraction of a millisecond', { retryMs: 1.5 }],
  ['time that is not a number', { retryMs: NaN }],
])('an event is rejected with a %s', (_case, fields) => {
  expect(() => encodeSse({ data: 'x', ...fields })).toThrow(TypeError);
});

test('a comment cannot contain any other field', () => {
  expect(encodeComment('keep-alive')).toBe(': keep-alive\n\n');
  const heard: string[] = [];
  const decoder = new SseDecoder({ onComment: (text) => heard.push(text) });
  expect(decoder.push(encodeComment('a\ndata: b\r\n\r\ndata: c\rd'))).toEqual([]);
  expect(heard).toEqual(['a', 'data: b', '', 'data: c', 'd']);
});

const line = fc.string({ unit: 'binary' }).map((text) => text.replace(/[\r\n\0]/g, ' '));
const frames = fc.array(
  fc.record(
    {
      data: fc.oneof(fc.string({ unit: 'binary' }), fc.json({ stringUnit: 'binary' })),
      event: line,
      id: line,
      retryMs: fc.maxSafeNat().map((n) => n % 1e15),
    },
    { requiredKeys: ['data'] },
  ),
);

test('encoded events are decoded again however the bytes are split', () => {
  fc.assert(
    fc.property(frames, fc.infiniteStream(fc.integer({ min: 1, max: 40 })), (written, sizes) => {
      const bytes = new TextEncoder().encode(written.map((frame) => encodeSse(frame) + encodeComment('tick')).join(''));
      const decoder = new SseDecoder();
      const read: SseEvent[] = [];
      for (let at = 0; at < bytes.length;) {
        const size = sizes.next().value;
        read.push(...decoder.push(bytes.slice(at, at + size)));
        at += size;
      }
      let id: string | undefined;
      let retryMs: number | undefined;
      const expected = written.map((frame) => {
        id = frame.id === undefined ? id : frame.id || undefined;
        retryMs = frame.retryMs ?? retryMs;
        return { data: frame.data.replace(/\r\n|\r/g, '\n'), event: frame.event || undefined, id };
      });
      expect(read).toEqual(expected);
      expect(decoder.retryMs).toBe(retryMs);
      expect(decoder.pending).toBe(false);
    }),
  );
});
