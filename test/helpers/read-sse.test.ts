import { expect, test } from 'vitest';
import { SseDecoder } from '../../src/wire/sse/sse-decoder.ts';
import { readSse, type SseSource } from './read-sse.ts';

const encoder = new TextEncoder();

interface Opened {
  readonly source: SseSource;
  /** The calls that the source received, in order. */
  readonly log: readonly string[];
}

type Chunk = string | Error;

/** A ReadableStream of the chunks. It closes after the last one, and fails at an Error. */
function webStream(chunks: readonly Chunk[], log: string[]): ReadableStream<Uint8Array> {
  const rest = [...chunks];
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const chunk = rest.shift();
        if (chunk instanceof Error) controller.error(chunk);
        else if (chunk === undefined) controller.close();
        else controller.enqueue(encoder.encode(chunk));
      },
      cancel() {
        log.push('closed');
      },
    },
    { highWaterMark: 0 },
  );
}

async function* iterable(chunks: readonly Chunk[], log: string[]): AsyncGenerator<Uint8Array | string, void, void> {
  let isOpen = true;
  try {
    for (const chunk of chunks) {
      isOpen = !(chunk instanceof Error);
      if (chunk instanceof Error) throw chunk;
      yield encoder.encode(chunk);
    }
    isOpen = false;
  } finally {
    if (isOpen) log.push('closed');
  }
}

const SOURCES: readonly [string, (chunks: readonly Chunk[]) => Opened][] = [
  ['a web stream', (chunks) => open(webStream, chunks)],
  ['any iterable', (chunks) => open(iterable, chunks)],
];

function open(make: (chunks: readonly Chunk[], log: string[]) => SseSource, chunks: readonly Chunk[]): Opened {
  const log: string[] = [];
  return { source: make(chunks, log), log };
}

async function collect(source: SseSource, options?: Parameters<typeof readSse>[1]): Promise<string[]> {
  const data: string[] = [];
  for await (const event of readSse(source, options)) data.push(event.data);
  return data;
}

test.each(SOURCES)('readSse() yields the events of %s in order', async (_case, from) => {
  const { source, log } = from(['data: a\n\nda', 'ta: b\n', '\ndata: c\n\n']);
  expect(await collect(source)).toEqual(['a', 'b', 'c']);
  expect(log).toEqual([]);
});

test.each(SOURCES)('a loop over readSse() of %s without events ends at once', async (_case, from) => {
  expect(await collect(from([]).source)).toEqual([]);
});

test.each(SOURCES)('a decoder that is passed to readSse() reports whether %s ended early', async (_case, from) => {
  const cutOff = new SseDecoder();
  expect(await collect(from(['data: a\n\ndata: b']).source, cutOff)).toEqual(['a']);
  expect(cutOff.pending).toBe(true);

  const clean = new SseDecoder();
  expect(await collect(from(['data: a\n\n']).source, clean)).toEqual(['a']);
  expect(clean.pending).toBe(false);
});

test.each(SOURCES)(
  'leaving a loop over readSse() closes %s, even between two events of one chunk',
  async (_case, from) => {
    const { source, log } = from(['data: a\n\ndata: b\n\n', 'data: c\n\n']);
    for await (const event of readSse(source)) {
      expect(event.data).toBe('a');
      break;
    }
    expect(log).toEqual(['closed']);
  },
);

test.each(SOURCES)('an error in a loop over readSse() closes %s', async (_case, from) => {
  const { source, log } = from(['data: a\n\n', 'data: b\n\n']);
  const loop = async (): Promise<void> => {
    for await (const event of readSse(source)) throw new Error(event.data);
  };
  await expect(loop()).rejects.toThrow('a');
  expect(log).toEqual(['closed']);
});

test.each(SOURCES)(
  'an event above the size limit of readSse() closes %s, after the events before it',
  async (_case, from) => {
    const { source, log } = from([`data: a\n\ndata: ${'x'.repeat(100)}`]);
    const seen: string[] = [];
    const loop = async (): Promise<void> => {
      for await (const event of readSse(source, { maxEventBytes: 50 })) seen.push(event.data);
    };
    await expect(loop()).rejects.toMatchObject({ code: 'INVALID_AGENT_RESPONSE' });
    expect(seen).toEqual(['a']);
    expect(log).toEqual(['closed']);
  },
);

test.each(SOURCES)('readSse() throws the error of %s', async (_case, from) => {
  const failure = new Error('connection reset');
  await expect(collect(from(['data: a\n\n', failure]).source)).rejects.toBe(failure);
});

test('readSse() unlocks a web stream at the end of the loop', async () => {
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

test('a connection that breaks after the last event that was read does not make readSse() throw', async () => {
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

test('readSse() passes comments to onComment', async () => {
  let ticks = 0;
  const { source } = open(iterable, [': tick\n\n', ': tick\n\ndata: a\n\n']);
  expect(await collect(source, { onComment: () => ticks++ })).toEqual(['a']);
  expect(ticks).toBe(2);
});
