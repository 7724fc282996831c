import { joinBytes } from '../support/bytes.ts';
/** One HTTP request to a URL supplied by a caller. Header names are in lower case. */
export interface OutboundRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  /** The URL may resolve to a private network. */
  readonly isTrusted: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Aborts the request and the reading of its response. */
  readonly signal: AbortSignal;
}

/** A response whose body must be read or discarded. */
export interface OutboundResponse {
  readonly status: number;
  /** @param name In lower case. */
  header(name: string): string | undefined;
  /** @throws BodyTooLarge as soon as the limit is exceeded, or the error that broke the connection. */
  bytes(maxBytes: number): Promise<Uint8Array>;
  /** Discards the body. A body of up to `maxBytes` is read to its end, so that the connection can be reused. */
  discard(maxBytes: number): void;
}

/**
 * Sends requests to URLs supplied by callers. Does not follow redirects and does not retry. For an untrusted URL it connects
 * only if every address of its host is public, as far as the runtime exposes the addresses.
 */
export interface OutboundTransport {
  call(request: OutboundRequest): Promise<OutboundResponse>;
  close(): void;
}

export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';

  constructor(maxBytes: number) {
    super(`The body has more than ${maxBytes} bytes`);
  }
}

/** Reads a whole body. Stops as soon as it is too large. @throws BodyTooLarge */
export async function gatherBytes(chunks: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  const taken: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > maxBytes) throw new BodyTooLarge(maxBytes);
    taken.push(chunk);
  }
  return joinBytes(taken, length);
}
