import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { A2AError } from '../errors.ts';
import { incompleteBody, isCompressed, notUtf8, compressed, tooLarge } from '../host/limits/body-errors.ts';
import type { HttpBody } from '../host/http.ts';
import { pacedBody } from '../host/limits/body-pace.ts';
import { type BytesHold, type Holder, UNCOUNTED_BYTES } from '../host/limits/bytes-in-flight.ts';
import type { InFlight } from '../host/limits/in-flight.ts';

/**
 * Reads the body of a request: at most `maxBytes`, at a minimum pace, and within what its caller may have in flight. Bytes
 * count when they arrive, so that a large body that is announced and not sent does not use up the limit.
 */
export function readBody(
  incoming: IncomingMessage,
  maxBytes: number,
  holder: Holder,
  inFlight: InFlight | undefined,
): Promise<HttpBody> {
  return new Promise((resolve, reject) => {
    // A request that is already destroyed emits no further events.
    if (incoming.destroyed) return reject(incompleteBody(undefined));
    if (isCompressed(incoming.headers['content-encoding'])) return reject(compressed());
    if (Number(incoming.headers['content-length']) > maxBytes) return reject(tooLarge(maxBytes));
    let first: Buffer | undefined;
    let more: Buffer[] | undefined;
    let hold: BytesHold | undefined;
    const fail = (error: A2AError): void => {
      removeListeners();
      incoming.pause();
      reject(error);
    };
    const body = pacedBody(fail);
    const take = (chunk: Buffer): void => {
      const length = (body.length += chunk.length);
      if (length > maxBytes) return fail(tooLarge(maxBytes));
      if (length > UNCOUNTED_BYTES) {
        const rejection = (hold ??= inFlight?.requests.open(holder))?.reach(length);
        if (rejection !== undefined) return fail(rejection);
      }
      if (first === undefined) first = chunk;
      else (more ??= [first]).push(chunk);
    };
    const finish = (): void => {
      removeListeners();
      const whole = more === undefined ? first : Buffer.concat(more, body.length);
      if (whole !== undefined && !isUtf8(whole)) reject(notUtf8());
      else resolve({ text: whole?.toString('utf8') ?? '' });
    };
    const breakOff = (cause: Error): void => fail(incompleteBody(cause));
    // The client is gone, but the promise must still settle.
    const close = (): void => fail(incompleteBody(undefined));
    // The response may be a stream that stays open for days, and the request lives as long. A listener on it would keep the
    // whole body in memory.
    const removeListeners = (): void => {
      inFlight?.pace.unwatch(body);
      hold?.release();
      incoming.off('data', take).off('end', finish).off('error', breakOff).off('close', close);
    };
    inFlight?.pace.watch(body);
    incoming.on('data', take).on('end', finish).on('error', breakOff).on('close', close);
  });
}

/** The text of a body that a body parser has left as bytes. */
export function parsedText(body: Uint8Array): string {
  if (!isUtf8(body)) throw notUtf8();
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
}
