import type { LeaveSignal } from '../../support/leave-signal.ts';

/** One HTTP request. Header names are in lower case. */
export interface TransportRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal: LeaveSignal;
  /** The URL is not trusted, so its host must not resolve to a private network. */
  readonly guarded: boolean;
}

/** One HTTP response. Its body must be read with `text` or `chunks`, or dropped with `discard`. */
export interface TransportResponse {
  readonly status: number;
  /** The name must be in lower case. */
  header(name: string): string | undefined;
  /** @throws A2AError `INVALID_AGENT_RESPONSE` if the body is larger, TransportFailure if the connection breaks. */
  text(maxBytes: number): Promise<string>;
  /** The chunks of the body as they arrive. Leaving the loop closes the connection. */
  chunks(): AsyncIterable<Uint8Array>;
  /** Drops a body that has not been read. If it ends within 250 ms, the connection is kept. */
  discard(): void;
  /** Closes the connection, also while the body is being read. */
  close(): void;
}

/** Sends requests. Never follows a redirect and never sends a request twice. */
export interface Transport {
  /** @throws TransportFailure; anything at all once the signal is aborted. */
  call(request: TransportRequest): Promise<TransportResponse>;
  close(): Promise<void> | void;
}

/** The connection could not be established, or broke. */
export class TransportFailure extends Error {
  override readonly name = 'TransportFailure';
  /** Whether the agent can have received the request. */
  readonly sent: 'no' | 'maybe';

  constructor(message: string, sent: 'no' | 'maybe', cause?: unknown) {
    super(message, { cause });
    this.sent = sent;
  }

  /** Whether nothing listens at the address. The agent may be restarting. */
  get isRefused(): boolean {
    return this.sent === 'no' && (REFUSED.has(codeOf(this.cause)) || REFUSED_TEXT.test(this.message));
  }
}

/** The codes of Node and Bun. Deno has none. */
const REFUSED: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ConnectionRefused']);
const REFUSED_TEXT = /client error \(Connect\): tcp connect error: Connection refused/;

/** The code of an error or of its cause, which is where `fetch` puts it. */
function codeOf(error: unknown): unknown {
  if (!(error instanceof Error)) return undefined;
  return 'code' in error ? error.code : codeOf(error.cause);
}
