import type { Caller } from '../engine/handler.ts';
import type { LeaveSignal } from '../support/leave-signal.ts';

/**
 * An HTTP request in the format of the library. The edges `fetch` and `node:http` both produce it, so that neither builds objects
 * for the other: a `Request` and a `Response` alone cost several times the CPU time of a plain request on Node.
 */
export interface HttpRequest {
  /** The HTTP method in upper case. */
  readonly method: string;
  /**
   * The path relative to the mount point, still percent-encoded. Starts with a slash; `undefined` if the request is outside of the
   * mount point.
   */
  readonly path: string | undefined;
  /** The query string without the question mark; empty if there is none. */
  readonly query: string;
  /** The URL of the mount point as the caller sees it, without a trailing slash. */
  readonly base: string;
  /** Aborts when the client disconnects. Created on first access, because most requests do not need it. */
  readonly signal: LeaveSignal;
  /**
   * The IP address of the client; `undefined` if the edge does not know it. With `trustProxy` it is the address that the proxy
   * reports.
   */
  readonly remoteAddress?: string | undefined;
  /** Whether the request comes from this machine, and not through a trusted proxy. */
  readonly isLocal?: boolean;
  /** Set by the core after authentication. From then on the edge counts bytes for this caller. */
  caller?: Caller | undefined;
  /** Whether the edge releases the `hold` of a response when the response is sent or abandoned. */
  readonly releasesHold?: boolean;
  /** Keeps the process awake after the response, if the host supports it. */
  readonly waitUntil?: WaitUntil | undefined;
  /** Returns a header by its name in lower case. Repeated headers are joined with commas. */
  header(name: string): string | undefined;
  /**
   * Reads the body. A body that is too large is not read to its end.
   *
   * @throws A2AError `PAYLOAD_TOO_LARGE`, `CONTENT_TYPE_NOT_SUPPORTED`, `PARSE_ERROR`, `REQUEST_TIMEOUT` or `INVALID_REQUEST`.
   */
  body(maxBytes: number): Promise<HttpBody>;
}

/**
 * The error for `request.headers` in an `auth` function, which authors of JavaScript may mistake for a web-standard request. Without
 * it they would get "Cannot read properties of undefined (reading 'get')".
 */
export function noHeaders(): TypeError {
  return new TypeError(
    "This request has no member headers, because it is not a web-standard Request. Read a header with request.header('authorization')",
  );
}

/** Asks a host that freezes processes between requests to wait until a promise is settled. */
export type WaitUntil = (work: Promise<unknown>) => void;

/** The text of a body, or JSON that a body parser of the framework has already parsed. */
export type HttpBody =
  | {
      /** The body as text. */
      readonly text: string;
    }
  | {
      /** The body as a parser of the framework has parsed it. */
      readonly json: unknown;
    };

/** An HTTP response in the format of the library. */
export interface HttpResponse {
  /** The HTTP status code. */
  readonly status: number;
  /** The headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as a string, or as pieces that are produced while it is sent. */
  readonly body?: string | AsyncIterable<string>;
  /** Counts a large body until it is sent or the client disconnects. Then the edge releases it. */
  readonly hold?: ResponseHold | undefined;
}

/** The bytes of a response that count against the limits. */
export interface ResponseHold {
  /** Corrects the number of bytes, even beyond the limits. */
  resize(bytes: number): void;
  /** Stops counting the bytes. */
  release(): void;
}

/** The same response with other headers. */
export function withHeaders(response: HttpResponse, headers: HttpResponse['headers']): HttpResponse {
  const { status, body, hold } = response;
  // Most responses have no hold. Omitting the member saves a hidden class at the edges.
  if (hold !== undefined) return { status, headers, ...(body !== undefined && { body }), hold };
  return body === undefined ? { status, headers } : { status, headers, body };
}

/** Headers of every response: browsers must not guess the content type. */
export const SAFE = { 'x-content-type-options': 'nosniff' } as const;

export const JSON_HEADERS = { ...SAFE, 'content-type': 'application/json' } as const;

export function jsonResponse(
  status: number,
  json: unknown,
  headers: Readonly<Record<string, string>> = JSON_HEADERS,
): HttpResponse {
  return {
    status,
    headers: headers === JSON_HEADERS ? headers : { ...JSON_HEADERS, ...headers },
    body: JSON.stringify(json),
  };
}

/** Whether a `Content-Type` is JSON. A charset, if present, must be UTF-8. */
export function isJsonType(contentType: string | undefined): boolean {
  if (contentType === 'application/json') return true;
  const [type = '', ...parameters] = (contentType ?? '').toLowerCase().split(';');
  if (!/^\s*application\/(?:a2a\+)?json\s*$/.test(type)) return false;
  return parameters.every((parameter) => !/^\s*charset\s*=/.test(parameter) || /=\s*"?utf-?8"?\s*$/.test(parameter));
}
