import type { LeaveSignal } from '../../support/leave-signal.ts';

/** One HTTP request. Headers are in lower case. */
export interface TransportRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal: LeaveSignal;
  /** The address came from a stranger: where its name leads to must not be a private network. */
  readonly guarded: boolean;
}

/** One HTTP answer, of which the body has still to be read: by `text`, or by `chunks`, or not at all by `discard`. */
export interface TransportResponse {
  readonly status: number;
  /** The name in lower case. */
  header(name: string): string | undefined;
  /** @throws A2AError `INVALID_AGENT_RESPONSE` if it is larger, TransportFailure if it is cut off. */
  text(maxBytes: number): Promise<string>;
  /** The body as it comes. Leaving the loop closes the connection. */
  chunks(): AsyncIterable<Uint8Array>;
  /** Nobody wants a body that nobody has read from. If it ends by itself in a moment, the connection is kept. */
  discard(): void;
  /** Closes the connection, also under a reader who waits for more. */
  close(): void;
}

/** How requests get to an agent. Never follows a redirect, never sends anything twice. */
export interface Transport {
  /** @throws TransportFailure; anything at all once the signal is aborted. */
  call(request: TransportRequest): Promise<TransportResponse>;
  close(): Promise<void> | void;
}

/** The connection could not be made, or broke. */
export class TransportFailure extends Error {
  override readonly name = 'TransportFailure';
  /** Whether the agent can have received the request. */
  readonly sent: 'no' | 'maybe';

  constructor(message: string, sent: 'no' | 'maybe', cause?: unknown) {
    super(message, { cause });
    this.sent = sent;
  }

  /** Nothing listens at the address. An agent that restarts is back in a moment. */
  get isRefused(): boolean {
    return this.sent === 'no' && (REFUSED.has(codeOf(this.cause)) || REFUSED_TEXT.test(this.message));
  }
}

/** What Node and Bun call it. Deno has no code for it. */
const REFUSED: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ConnectionRefused']);
const REFUSED_TEXT = /client error \(Connect\): tcp connect error: Connection refused/;

/** The code of an error, or of what `fetch` gives as its cause. */
function codeOf(error: unknown): unknown {
  if (!(error instanceof Error)) return undefined;
  return 'code' in error ? error.code : codeOf(error.cause);
}
