import { expect, test } from 'vitest';
import { SseDecoder } from '../../src/wire/sse/sse-decoder.ts';
import { readSse, type SseSource } from './read-sse.ts';

const encoder = new TextEncoder();

interface Opened {
  readonly source: SseSource;
  /** What has happened to the source, in order. */
  readonly log: readonly string[];
}

type Piece = string | Error;

/** A ReadableStream that gives the pieces one by one and then closes; an Error makes it fail. */
function webStream(pieces: readonly Piece[], log: string[]): ReadableStream<Uint8Array> {
  const rest = [...pieces];
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const piece = rest.shift();
        if (piece instanceof Error) controller.error(piece);
        else if (piece === undefined) controller.close();
        else controller.enqueue(encoder.encode(piece));
      },
      cancel() {
        log.push('closed');
      },
    },
    { highWaterMark: 0 },
  );
}

async function* iterable(pieces: readonly Piece[], log: string[]): AsyncGenerator<Uint8Array | string, void, void> {
  let isOpen = true;
  try {
    for (const piece of pieces) {
      isOpen = !(piece instanceof Error);
      if (piece instanceof Error) throw piece;
      yield encoder.encode(piece);
    }
    isOpen = false;
  } finally {
    if (isOpen) log.push('closed');
  }
}

const SOURCES: readonly [string, (pieces: readonly Piece[]) => Opened][] = [
  ['a web stream', (pieces) => open(webStream, pieces)],
  ['any iterable', (pieces) => open(iterable, pieces)],
];

function open(make: (pieces: readonly Piece[], log: string[]) => SseSource, pieces: readonly Piece[]): Opened {
  const log: string[] = [];
  return { source: make(pieces, log), log };
}

async function collect(source: SseSource, options?: Parameters<typeof readSse>[1]): Promise<string[]> {
  const data: string[] = [];
  for await (const event of readSse(source, options)) data.push(event.data);
  return data;
}

test.each(SOURCES)('the events of %s are given in order', async (_case, from) => {
  const { source, log } = from(['data: a\n\nda', 'ta: b\n', '\ndata: c\n\n']);
  expect(await collect(source)).toEqual(['a', 'b', 'c']);
  expect(log).toEqual([]);
});

test.each(SOURCES)('%s without an event ends the loop at once', async (_case, from) => {
  expect(await collect(from([]).source)).toEqual([]);
});

test.each(SOURCES)('a reader of the caller tells whether %s ended early', async (_case, from) => {
  const cutOff = new SseDecoder();
  expect(await collect(from(['data: a\n\ndata: b']).source, cutOff)).toEqual(['a']);
  expect(cutOff.pending).toBe(true);

  const clean = new SseDecoder();
  expect(await collect(from(['data: a\n\n']).source, clean)).toEqual(['a']);
  expect(clean.pending).toBe(false);
});

test.each(SOURCES)('leaving the loop closes %s, also in the middle of a piece', async (_case, from) => {
  const { source, log } = from(['data: a\n\ndata: b\n\n', 'data: c\n\n']);
  for await (const event of readSse(source)) {
    expect(event.data).toBe('a');
    break;
  }
  expect(log).toEqual(['closed']);
});

test.each(SOURCES)('an error in the loop closes %s', async (_case, from) => {
  const { source, log } = from(['data: a\n\n', 'data: b\n\n']);
  const loop = async (): Promise<void> => {
    for await (const event of readSse(source)) throw new Error(event.data);
  };
  await expect(loop()).rejects.toThrow('a');
  expect(log).toEqual(['closed']);
});

test.each(SOURCES)('an event that is too large closes %s, after the events ahead of it', async (_case, from) => {
  const { source, log } = from([`data: a\n\ndata: ${'x'.repeat(100)}`]);
  const seen: string[] = [];
  const loop = async (): Promise<void> => {
    for await (const event of readSse(source, { maxEventBytes: 50 })) seen.push(event.data);
  };
  await expect(loop()).rejects.toMatchObject({ code: 'INVALID_AGENT_RESPONSE' });
  expect(seen).toEqual(['a']);
  expect(log).toEqual(['closed']);
});

test.each(SOURCES)('a failure of %s reaches the loop as it is', async (_case, from) => {
  const failure = new Error('connection reset');
  await expect(collect(from(['data: a\n\n', failure]).source)).rejects.toBe(failure);
});

test('a web stream is no longer locked when the loop is over', async () => {
  const read = webStream(['data: a\n\n'], []);
  await collect(read);
  expect(read.locked).toBe(false);

  const left = webStream(['data: a\n\n'], []);
  for await (const _event of readSse(left)) break;
  expect(left.locked).toBe(false);

  const failed = webStream([new Error('connection reset')], []);
  await expect(collect(failed)).rejects.toThrow('connection reset');
  expect(failed.locked).toBe(false);
});

test('a connection that breaks after the last wanted event is no error', async () => {
  let connection: ReadableStreamDefaultController<Uint8Array> | undefined;
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      connection = controller;
      controller.enqueue(encoder.encode('data: a\n\n'));
    },
  });
  const seen: string[] = [];
  for await (const event of readSse(stream)) {
    seen.push(event.data);
    connection?.error(new Error('connection reset'));
    break;
  }
  expect(seen).toEqual(['a']);
});

test('comments are heard while the stream is read', async () => {
  let ticks = 0;
  const { source } = open(iterable, [': tick\n\n', ': tick\n\ndata: a\n\n']);
  expect(await collect(source, { onComment: () => ticks++ })).toEqual(['a']);
  expect(ticks).toBe(2);
});
