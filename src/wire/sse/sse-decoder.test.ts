import fc from 'fast-check';
import { expect, test } from 'vitest';
import { A2AError } from '../../errors.ts';
import { type SseEvent, SseDecoder, type SseDecoderOptions } from './sse-decoder.ts';

const encoder = new TextEncoder();

function bytesOf(...pieces: (string | readonly number[])[]): Uint8Array {
  return Uint8Array.from(pieces.flatMap((piece) => (typeof piece === 'string' ? [...encoder.encode(piece)] : piece)));
}

function cut(bytes: Uint8Array, size: number): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  for (let i = 0; i < bytes.length; i += size) chunks.push(bytes.slice(i, i + size));
  return chunks;
}

function readAll(chunks: Iterable<Uint8Array | string>, options?: SseDecoderOptions): readonly SseEvent[] {
  const decoder = new SseDecoder(options);
  return [...chunks].flatMap((chunk) => decoder.push(chunk));
}

function dataOf(events: readonly SseEvent[]): readonly string[] {
  return events.map(({ data }) => data);
}

test.each<[string, string, readonly Partial<SseEvent>[]]>([
  ['lines end with LF', 'data: a\n\ndata: b\n\n', [{ data: 'a' }, { data: 'b' }]],
  ['lines end with CRLF', 'data: a\r\n\r\ndata: b\r\n\r\n', [{ data: 'a' }, { data: 'b' }]],
  ['lines end with CR', 'data: a\r\rdata: b\r\r', [{ data: 'a' }, { data: 'b' }]],
  ['line ends are mixed', 'data: a\r\n\ndata: b\n\rdata: c\r\r\n', [{ data: 'a' }, { data: 'b' }, { data: 'c' }]],
  ['CRLF is one line end', 'data: a\r\ndata: b\r\n\r\n', [{ data: 'a\nb' }]],
  ['LF CR are two line ends', 'data: a\n\rdata: b\n\r', [{ data: 'a' }, { data: 'b' }]],
  ['data lines are joined', 'data: a\ndata:\ndata: c\n\n', [{ data: 'a\n\nc' }]],
  ['the space after the colon may be missing', 'data:a\n\n', [{ data: 'a' }]],
  ['only one space is dropped', 'data:  a \n\n', [{ data: ' a ' }]],
  ['a tab after the colon is not removed', 'data:\ta\n\n', [{ data: '\ta' }]],
  ['further colons belong to the value', 'data: a: b\n\n', [{ data: 'a: b' }]],
  ['fields without a colon are empty', 'data\n\ndata\ndata\n\n', [{ data: '' }, { data: '\n' }]],
  ['empty data is data', 'data:\n\n', [{ data: '' }]],
  ['an event without data is not returned', 'event: ping\n\nid: 1\n\n\n\n', []],
  ['comments are skipped', ': hi\ndata: a\n:\n:b\ndata: c\n\n: bye\n\n', [{ data: 'a\nc' }]],
  ['an event has a type', 'event: error\ndata: a\n\ndata: b\n\n', [{ event: 'error', data: 'a' }, { data: 'b' }]],
  ['a type without data is dropped', 'event: error\n\ndata: b\n\n', [{ data: 'b' }]],
  ['the last type counts', 'event: a\nevent: b\ndata: x\n\n', [{ event: 'b', data: 'x' }]],
  ['an empty type is the default', 'event: a\nevent\ndata: x\n\n', [{ data: 'x' }]],
  [
    'an id stays in force',
    'id: 1\ndata: a\n\ndata: b\n\nid: 2\ndata: c\n\n',
    [
      { id: '1', data: 'a' },
      { id: '1', data: 'b' },
      { id: '2', data: 'c' },
    ],
  ],
  ['an id without data counts too', 'id: 7\n\ndata: a\n\n', [{ id: '7', data: 'a' }]],
  ['an empty id removes the id', 'id: 1\ndata: a\n\nid\ndata: b\n\n', [{ id: '1', data: 'a' }, { data: 'b' }]],
  ['an id with NUL is ignored', 'id: 1\nid: 2\0\ndata: a\n\n', [{ id: '1', data: 'a' }]],
  ['unknown fields are ignored', 'foo: 1\ndatax: 2\ndat: 3\nDATA: 4\n data: 5\ndata: a\n\n', [{ data: 'a' }]],
  ['a byte order mark is skipped at the start', '\ufeffdata: a\n\n', [{ data: 'a' }]],
  ['a byte order mark before a comment', '\ufeff:\n\ndata: a\n\n', [{ data: 'a' }]],
  ['a byte order mark before a blank line', '\ufeff\ndata: a\n\n', [{ data: 'a' }]],
  ['a second byte order mark is a character', '\ufeff\ufeffdata: a\n\ndata: b\n\n', [{ data: 'b' }]],
  ['a later byte order mark is a character', 'data: \ufeffa\n\n\ufeffdata: b\n\n', [{ data: '\ufeffa' }]],
  ['an unfinished event is dropped', 'data: a\n\nid: 2\ndata: b\n', [{ data: 'a' }]],
  ['an unfinished line is dropped', 'data: a\n\ndata: b', [{ data: 'a' }]],
  ['characters of all sizes', 'data: aé€😀\ndata: 😀\n\n', [{ data: 'aé€😀\n😀' }]],
])('the decoder follows the standard: %s', (_rule, text, expected) => {
  const events = expected.map((event) => ({ event: undefined, id: undefined, ...event }));
  const bytes = encoder.encode(text);
  for (let size = 1; size <= bytes.length; size++) expect(readAll(cut(bytes, size))).toEqual(events);
  for (let at = 0; at <= bytes.length; at++) expect(readAll([bytes.slice(0, at), bytes.slice(at)])).toEqual(events);
  for (let at = 0; at <= text.length; at++) expect(readAll([text.slice(0, at), text.slice(at)])).toEqual(events);
});

test.each<[string, readonly number[], string]>([
  ['a byte that is never valid', [0xff], '\ufffd'],
  ['a character cut short', [0xe2, 0x82], '\ufffd'],
  ['a stray continuation', [0x80, 0x41], '\ufffdA'],
  ['a surrogate', [0xed, 0xa0, 0x80], '\ufffd\ufffd\ufffd'],
])('invalid UTF-8 is replaced: %s', (_case, raw, data) => {
  const bytes = bytesOf('data: ', raw, '\ndata: ', raw, '\n\n');
  for (let size = 1; size <= bytes.length; size++) {
    expect(dataOf(readAll(cut(bytes, size)))).toEqual([`${data}\n${data}`]);
  }
});

test('an event is returned as soon as its blank line has arrived, even if that ends with CR', () => {
  const decoder = new SseDecoder();
  expect(decoder.push('data: a\r\n\r')).toHaveLength(1);
  expect(decoder.push('\n')).toHaveLength(0);
  expect(decoder.push('')).toHaveLength(0);
  expect(dataOf(decoder.push('data: b\n\n'))).toEqual(['b']);
});

test('an empty chunk between CR and LF does not separate them', () => {
  expect(dataOf(readAll(['data: a\r', '', '\ndata: b\r', '\n\r\n']))).toEqual(['a\nb']);
});

test('a chunk can be overwritten after it was decoded', () => {
  const decoder = new SseDecoder();
  const chunk = bytesOf('data: one');
  decoder.push(chunk);
  chunk.fill(0x78);
  expect(dataOf(decoder.push('\n\n'))).toEqual(['one']);
});

test.each([
  ['retry: 3000\n', 3000],
  ['retry:0\n', 0],
  ['retry: 5\nretry: 1e3\nretry: -1\nretry: 1.5\nretry:\nretry\nretry: ٣\nretry: 99999999999999999999\n', 5],
  ['retry: x\n', undefined],
])('the reconnection time consists of digits only: %j', (text, retryMs) => {
  const decoder = new SseDecoder();
  decoder.push(text);
  expect(decoder.retryMs).toBe(retryMs);
});

test.each([
  ['before the first event', 'retry: 5\n\ndata: a\n\n', false],
  ['within an event', 'data: a\nretry: 5\n\n', false],
  ['between events', 'data: a\n\nretry: 5\n\ndata: b\n\n', false],
  ['behind the last event', 'data: a\n\nretry: 5\n\n', true],
  ['behind it, and the same as before', 'retry: 5\n\ndata: a\n\nretry: 5\n', true],
  ['nowhere', 'data: a\n\n: retry: 5\n\n', false],
])('the position of a reconnection time is known, even within one chunk: %s', (_where, text, isBehind) => {
  const decoder = new SseDecoder();
  decoder.push(text);
  expect(decoder.hasTrailingRetry).toBe(isBehind);
});

test('comments are reported, because they show that the connection is alive', () => {
  const heard: string[] = [];
  const onComment = (text: string): number => heard.push(text);
  readAll([': keep-', 'alive\n\n:\n:x\ndata: :y\n\n: un'], { onComment });
  expect(heard).toEqual(['keep-alive', '', 'x']);
});

test.each([
  ['nothing', '', false],
  ['a whole event', 'data: a\n\n', false],
  ['a whole event that ends with CR', 'data: a\r\r', false],
  ['a comment', 'data: a\n\n: bye\n', false],
  ['an event without its blank line', 'data: a\n', true],
  ['half a line', 'data: a\n\nda', true],
  ['half a comment', 'data: a\n\n: b', true],
  ['an id', 'id: 1\n', true],
  ['half a character', 'data: a\n\n\ud83d', true],
])('a truncated stream is distinguished from a complete one: %s', (_case, text, pending) => {
  const decoder = new SseDecoder();
  decoder.push(text);
  expect(decoder.pending).toBe(pending);
});

// The limit

const TOO_LARGE = expect.objectContaining({
  code: 'INVALID_AGENT_RESPONSE',
  message: expect.stringContaining('100 bytes'),
});

test.each([
  ['one line', `data: ${'x'.repeat(94)}\n\n`],
  ['one line in many bytes', `data: ${'é'.repeat(47)}\n\n`],
  ['several lines', `data: ${'x'.repeat(44)}\r\ndata: ${'x'.repeat(44)}\r\n\r\n`],
  ['many lines', `${'data\n'.repeat(25)}\n`],
  ['fields that are not kept', `${'foo:\n'.repeat(24)}data\n\n`],
])('an event is accepted up to the byte limit and rejected above it: %s', (_case, text) => {
  const bytes = encoder.encode(text);
  const larger = bytesOf('x', text);
  for (let size = 1; size <= larger.length; size++) {
    expect(readAll(cut(bytes, size), { maxEventBytes: 100 })).toHaveLength(1);
    expect(() => readAll([...cut(larger, size), ''], { maxEventBytes: 100 })).toThrow(TOO_LARGE);
  }
});

test.each([
  ['data', 'data: ', 'x'],
  ['a comment', ':', 'x'],
  ['an unknown field', 'x', 'x'],
  ['short lines', '', 'data\n'],
])('an endless event is rejected as soon as it exceeds the limit: %s', (_case, head, piece) => {
  const decoder = new SseDecoder({ maxEventBytes: 100 });
  decoder.push(head);
  let kept = head.length;
  expect(() => {
    for (;;) {
      decoder.push(piece);
      kept += piece.trimEnd().length;
    }
  }).toThrow(TOO_LARGE);
  expect(kept).toBe(100);
});

test('discarded fields do not count toward the limit', () => {
  const decoder = new SseDecoder({ maxEventBytes: 20 });
  for (let i = 0; i < 100; i++) expect(decoder.push(': still here\n\ndata: 123\n: still\n\n')).toHaveLength(1);
});

test('events before one that is too large are returned first', () => {
  const decoder = new SseDecoder({ maxEventBytes: 100 });
  expect(dataOf(decoder.push(`data: a\n\ndata: ${'x'.repeat(100)}\n\ndata: b\n\n`))).toEqual(['a']);
  expect(decoder.failure).toEqual(TOO_LARGE);
  expect(decoder.pending).toBe(true);
  expect(() => decoder.push('data: c\n\n')).toThrow(TOO_LARGE);
  expect(() => decoder.push('')).toThrow(TOO_LARGE);
});

test('the default limit is 16 MiB', () => {
  const decoder = new SseDecoder();
  const mebibyte = new Uint8Array(1024 * 1024).fill(0x78);
  for (let i = 0; i < 16; i++) expect(decoder.push(mebibyte)).toHaveLength(0);
  expect(() => decoder.push('x')).toThrow('16777216');
});

// The cost

type Note = (self: Uint8Array, args: readonly unknown[], result: unknown) => void;

/** Calls `note` for each call of a built-in method. Returns a function that restores the method. */
function watch(prototype: object, method: string, note: Note): () => void {
  const original: (...args: unknown[]) => unknown = Reflect.get(prototype, method);
  const watched = function (this: Uint8Array, ...args: unknown[]): unknown {
    const result = Reflect.apply(original, this, args);
    note(this, args, result);
    return result;
  };
  Reflect.set(prototype, method, watched);
  return () => Reflect.set(prototype, method, original);
}

/** The number of bytes that are searched, copied and decoded while `run` runs. */
function countWork(run: () => void): number {
  let work = 0;
  const array: object = Object.getPrototypeOf(Uint8Array.prototype);
  const undo = [
    watch(array, 'indexOf', (self, [, from], at) => {
      work += (at === -1 ? self.length : Number(at) + 1) - Number(from ?? 0);
    }),
    watch(array, 'set', (_self, [source]) => {
      work += (source as Uint8Array).length;
    }),
    watch(TextDecoder.prototype, 'decode', (_self, [source]) => {
      work += (source as Uint8Array).length;
    }),
  ];
  try {
    run();
  } finally {
    for (const restore of undo) restore();
  }
  return work;
}

test.each<[string, string, number]>([
  ['an event byte by byte', `data: ${'x'.repeat(50_000)}\n\n`, 1],
  ['an event of several megabytes in small pieces', `data: ${'x'.repeat(4_000_000)}\n\n`, 100],
  ['an event of many lines in small pieces', `${'data: x\n'.repeat(50_000)}\n`, 7],
  ['many LF in one piece', 'data: x\n\n'.repeat(50_000), Infinity],
  ['many CR in one piece', 'data: x\r\r'.repeat(50_000), Infinity],
  ['many CRLF in one piece', 'data: x\r\n\r\n'.repeat(50_000), Infinity],
  ['many lines without a colon in one piece', `${'data\n'.repeat(50_000)}\n`, Infinity],
])('the work grows linearly with the length of the stream: %s', (_case, text, size) => {
  const bytes = encoder.encode(text);
  const chunks = cut(bytes, Math.min(size, bytes.length));
  let events: readonly SseEvent[] = [];
  const work = countWork(() => {
    events = readAll(chunks);
  });
  expect(events.length).toBeGreaterThan(0);
  expect(work).toBeGreaterThanOrEqual(bytes.length);
  expect(work).toBeLessThan(8 * bytes.length);
});

// Against the standard

/** The algorithm of the standard, applied to the whole text at once. */
function readByTheBook(bytes: Uint8Array): readonly SseEvent[] {
  const lines = new TextDecoder().decode(bytes).split(/\r\n|\n|\r/);
  const events: SseEvent[] = [];
  let [data, event, id] = ['', '', ''];
  for (const line of lines.slice(0, -1)) {
    if (line === '') {
      if (data !== '') events.push({ data: data.slice(0, -1), event: event || undefined, id: id || undefined });
      [data, event] = ['', ''];
      continue;
    }
    const colon = line.indexOf(':');
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'data') data += `${value}\n`;
    if (name === 'event') event = value;
    if (name === 'id' && !value.includes('\0')) id = value;
  }
  return events;
}

const fragment = fc.oneof(
  fc.constantFrom(
    ...['data', 'data:', 'data: x', 'event:', 'id: ', 'id:1', 'retry', ':', ' ', '\0'].map((s) => bytesOf(s)),
  ),
  fc.constantFrom(...['\n', '\r', '\r\n', '\n\n'].map((s) => bytesOf(s))),
  fc.constantFrom(bytesOf('\ufeff'), bytesOf('é😀'), bytesOf([0xff]), bytesOf([0xe2, 0x82]), bytesOf([0xbf])),
);

test('a stream is decoded by the standard however it is split into chunks', () => {
  const stream = fc.array(fragment, { maxLength: 60 }).map((pieces) => bytesOf(...pieces.map((piece) => [...piece])));
  fc.assert(
    fc.property(stream, fc.array(fc.nat(8), { minLength: 1 }), (bytes, sizes) => {
      const chunks: Uint8Array[] = [];
      for (let at = 0, i = 0; at < bytes.length; i++) {
        const size = i < sizes.length ? (sizes[i] ?? 0) : bytes.length;
        chunks.push(bytes.slice(at, at + size));
        at += size;
      }
      expect(readAll(chunks)).toEqual(readByTheBook(bytes));
    }),
    { numRuns: 1000 },
  );
});

test('any bytes are decoded or rejected as too large', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array()), fc.integer({ min: 0, max: 50 }), (chunks, maxEventBytes) => {
      try {
        readAll(chunks, { maxEventBytes });
      } catch (error) {
        if (!A2AError.is(error, 'INVALID_AGENT_RESPONSE')) throw error;
      }
    }),
  );
});
