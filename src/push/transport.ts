/** One HTTP request to a stranger. Headers are in lower case. */
export interface OutboundRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  /** The address may lead to a private network. */
  readonly isTrusted: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Ends the request, and the reading of its answer. */
  readonly signal: AbortSignal;
}

/** An answer, of which the body has still to be read or discarded. */
export interface OutboundAnswer {
  readonly status: number;
  /** The name in lower case. */
  header(name: string): string | undefined;
  /** @throws BodyTooLarge as soon as it is, or whatever broke the connection. */
  bytes(maxBytes: number): Promise<Uint8Array>;
  /** Nobody wants the body. What is short is read to its end, so that the connection can be used again. */
  discard(maxBytes: number): void;
}

/**
 * How strangers are called. Follows no redirect and sends nothing twice. What is not trusted is connected to only if every
 * address of its name is public, where the runtime lets us see them.
 */
export interface OutboundTransport {
  call(request: OutboundRequest): Promise<OutboundAnswer>;
  close(): void;
}

export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';

  constructor(maxBytes: number) {
    super(`The body has more than ${maxBytes} bytes`);
  }
}
