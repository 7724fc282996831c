import type { LeaveSignal } from '../leave-signal.ts';

/** One HTTP request. Header names are in lower case. */
export interface OutboundRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** Aborts the request and the reading of its response. */
  readonly signal: LeaveSignal;
  /**
   * The URL is not trusted, so its host must not resolve to a private network. Checked as far as the runtime exposes the addresses:
   * `fetch` does not.
   */
  readonly guarded: boolean;
}

/** One HTTP response. Its body must be read with `text`, `bytes` or `chunks`, or dropped with `discard`. */
export interface OutboundResponse {
  readonly status: number;
  /** The name must be in lower case. */
  header(name: string): string | undefined;
  /** @throws BodyTooLarge as soon as the limit is exceeded; `option` is its name. TransportFailure if the connection breaks. */
  text(maxBytes: number, option?: string): Promise<string>;
  /** @throws Like `text`. */
  bytes(maxBytes: number, option?: string): Promise<Uint8Array>;
  /** The chunks of the body as they arrive. Leaving the loop closes the connection. */
  chunks(): AsyncIterable<Uint8Array>;
  /** Drops a body that has not been read. If it ends within 64 KiB and one second, the connection is kept. */
  discard(): void;
  /** Closes the connection, also while the body is being read. */
  close(): void;
}

/** Sends requests. Never follows a redirect and never sends a request twice. */
export interface HttpClient {
  /** @throws TransportFailure */
  call(request: OutboundRequest): Promise<OutboundResponse>;
  close(): Promise<void> | void;
}

/** How much of a dropped body is read, so that its connection can be reused. */
export const DISCARD = { maxBytes: 64 * 1024, maxMs: 1000 } as const;

const REDIRECTS = new Set([301, 302, 307, 308]);

/** The target of a redirect that keeps the method. */
export function redirectOf(response: OutboundResponse, method: OutboundRequest['method']): string | undefined {
  const isRedirect = REDIRECTS.has(response.status) || (response.status === 303 && method === 'GET');
  return isRedirect ? response.header('location') : undefined;
}

/** The connection could not be established, or broke. */
export class TransportFailure extends Error {
  override readonly name = 'TransportFailure';
  /** Whether the server can have received the request. */
  readonly sent: 'no' | 'maybe';

  constructor(message: string, sent: 'no' | 'maybe', cause?: unknown) {
    super(message, { cause });
    this.sent = sent;
  }

  /** The code of the error of the connection, such as `ECONNRESET`, if the runtime has one. */
  get code(): string | undefined {
    return codeOf(this.cause);
  }

  /** Whether nothing listens at the address. The server may be restarting. */
  get isRefused(): boolean {
    return this.sent === 'no' && (REFUSED.has(this.code ?? '') || REFUSED_TEXT.test(this.message));
  }
}

/** The codes of Node and Bun. Deno has none. */
const REFUSED: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ConnectionRefused']);
const REFUSED_TEXT = /client error \(Connect\): tcp connect error: Connection refused/;

/** The code of an error or of its cause, which is where `fetch` puts it. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return 'code' in error ? String(error.code) : codeOf(error.cause);
}
