import { type SseEvent, SseDecoder, type SseDecoderOptions } from '../../src/wire/sse/sse-decoder.ts';

/** A body as `fetch` gives it, or any other source of bytes. */
export type SseSource = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array | string>;

/**
 * The events of a stream as they come. However the loop over them is left, the source is closed with it. Pass a reader
 * of your own to learn afterwards whether the stream ended early.
 *
 * @example
 * const reader = new SseDecoder();
 * for await (const { data } of readSse(response.body, reader)) console.log(JSON.parse(data));
 * if (reader.pending) console.log('cut off inside an event');
 */
export async function* readSse(
  source: SseSource,
  options: SseDecoderOptions | SseDecoder = {},
): AsyncGenerator<SseEvent, void, void> {
  const reader = options instanceof SseDecoder ? options : new SseDecoder(options);
  for await (const chunk of 'getReader' in source ? readChunks(source) : source) {
    for (const event of reader.push(chunk)) yield event;
    if (reader.failure !== undefined) throw reader.failure;
  }
}

/**
 * Not the stream's own iterator, which Safari lacks, and which turns leaving the loop into an error if the connection
 * broke after the last event that anyone wanted.
 */
async function* readChunks(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => {});
    reader.releaseLock();
  }
}
