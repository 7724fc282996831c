import type { Caller } from '../engine/handler.ts';
import type { LeaveSignal } from '../support/leave-signal.ts';

/**
 * HTTP as the core sees it. Both edges, `fetch` and `node:http`, speak this, so that neither builds objects for the other
 * one: a `Request` and a `Response` alone cost several times the CPU of a plain request on Node.
 */
export interface HttpRequest {
  readonly method: string;
  /**
   * As it came, still percent-encoded, from the place on at which the handler is mounted. Starts with a slash; undefined
   * if it is outside of that place.
   */
  readonly path: string | undefined;
  /** Without its question mark. */
  readonly query: string;
  /** The address of the place at which the handler is mounted, as the caller sees it; no slash at its end. */
  readonly base: string;
  /** Aborts when the caller is gone. Made at the first look, for most requests need none. */
  readonly signal: LeaveSignal;
  /**
   * The address that the request came from, for what is counted by address; undefined where the edge does not know it.
   * With `trustProxy` it is the one that the proxy has seen.
   */
  readonly remoteAddress?: string | undefined;
  /** Whether it came from this machine by itself: not by the word of a proxy, who says what he was told. */
  readonly isLocal?: boolean;
  /** Set by the core as soon as it knows who calls: from then on the edge counts bytes for this caller. */
  caller?: Caller | undefined;
  /** Whether the edge releases the `hold` of a response when the response is sent or given up. */
  readonly releasesHold?: boolean;
  /** Keeps the process awake after the answer, where the host can do so. */
  readonly waitUntil?: WaitUntil | undefined;
  /** The name in lower case. A header that came twice is one list. */
  header(name: string): string | undefined;
  /** @throws A2AError of `body-errors.ts`; one that is too large is not read whole. */
  body(maxBytes: number): Promise<HttpBody>;
}

/**
 * For the edges, whose requests look like web-standard ones to authors of `auth` in JavaScript: without it they would read
 * "Cannot read properties of undefined (reading 'get')".
 */
export function noHeaders(): TypeError {
  return new TypeError(
    "This request has no member headers, because it is not a web-standard Request. Read a header with request.header('authorization')",
  );
}

/** Tells a host that freezes processes between requests to wait until something is done. */
export type WaitUntil = (work: Promise<unknown>) => void;

/** A body parser that ran before us leaves JSON; without one there is the text. */
export type HttpBody = { readonly text: string } | { readonly json: unknown };

export interface HttpResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** A text, or the pieces of one that is made while it is sent. */
  readonly body?: string | AsyncIterable<string>;
  /** Counts a large text until it is sent or its reader is gone: then the edge releases it. */
  readonly hold?: ResponseHold | undefined;
}

/** The bytes of a response, as they count against the limits. */
export interface ResponseHold {
  /** Corrects the number, whatever the limits. */
  resize(bytes: number): void;
  release(): void;
}

/** The same response with other headers. */
export function withHeaders(response: HttpResponse, headers: HttpResponse['headers']): HttpResponse {
  const { status, body, hold } = response;
  // Most responses have no hold: one member fewer is one hidden class fewer for the edges.
  if (hold !== undefined) return { status, headers, ...(body !== undefined && { body }), hold };
  return body === undefined ? { status, headers } : { status, headers, body };
}

/** Headers of every answer: nobody should guess what it is. */
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

/** Whether a `content-type` is one of JSON; what it says besides, such as a charset, must be UTF-8. */
export function isJsonType(contentType: string | undefined): boolean {
  if (contentType === 'application/json') return true;
  const [type = '', ...parameters] = (contentType ?? '').toLowerCase().split(';');
  if (!/^\s*application\/(?:a2a\+)?json\s*$/.test(type)) return false;
  return parameters.every((parameter) => !/^\s*charset\s*=/.test(parameter) || /=\s*"?utf-?8"?\s*$/.test(parameter));
}
