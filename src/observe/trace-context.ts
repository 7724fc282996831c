import type { JsonObject } from '../model/json.ts';
import type { Writable } from '../support/writable.ts';

/** A position in a trace as W3C Trace Context defines it: the trace id, the current span and the data of vendors. */
export interface TraceContext {
  /** The id of the trace: 32 hexadecimal digits. */
  readonly traceId: string;
  /** The id of the current span: 16 hexadecimal digits. */
  readonly spanId: string;
  /** Two hexadecimal digits. The lowest bit is set if the trace is sampled. */
  readonly flags: string;
  /** The header `tracestate`: data of tracing vendors, at most 512 characters. */
  readonly tracestate?: string;
}

/** The HTTP headers that propagate a trace. Both are absent if there is no trace. */
export interface TraceHeaders {
  /** Version, trace id, span id and flags: `00-<traceId>-<spanId>-<flags>`. */
  readonly traceparent?: string;
  /** Data of tracing vendors. */
  readonly tracestate?: string;
}

/** Versions after 00 may have more fields after the flags. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-((?!0{32})[0-9a-f]{32})-((?!0{16})[0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** The length up to which W3C Trace Context requires every system to propagate `tracestate`. */
const MAX_TRACESTATE = 512;
const TRACESTATE = /^[\x20-\x7e\t]+$/;

/** Parses the headers. Returns undefined if `traceparent` is malformed; the standard requires a new trace then. */
export function parseTrace(traceparent: string | undefined, tracestate?: string): TraceContext | undefined {
  if (traceparent === undefined || traceparent.length > MAX_TRACESTATE) return undefined;
  const [, version, traceId, spanId, flags, more] = TRACEPARENT.exec(traceparent) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  if (version === '00' && more !== undefined) return undefined;
  const trace: Writable<TraceContext> = { traceId, spanId, flags };
  if (tracestate !== undefined && tracestate.length <= MAX_TRACESTATE && TRACESTATE.test(tracestate))
    trace.tracestate = tracestate;
  return trace;
}

export function traceparentText({ traceId, spanId, flags }: TraceContext): string {
  return `00-${traceId}-${spanId}-${flags}`;
}

export function traceHeaders(trace: TraceContext | undefined): TraceHeaders {
  if (trace === undefined) return {};
  const headers: Writable<TraceHeaders> = { traceparent: traceparentText(trace) };
  if (trace.tracestate !== undefined) headers.tracestate = trace.tracestate;
  return headers;
}

/** A new span id in the same trace. */
export function childOf({ traceId, flags, tracestate }: TraceContext): TraceContext {
  const child: Writable<TraceContext> = { traceId, spanId: newSpanId(), flags };
  if (tracestate !== undefined) child.tracestate = tracestate;
  return child;
}

/** The trace of a stored task: the trace of the request that created it. */
export function traceOf({ origin }: { readonly origin: JsonObject }): TraceContext | undefined {
  return origin['trace'] as unknown as TraceContext | undefined;
}

export function newTraceId(): string {
  const id = crypto.randomUUID();
  return id.slice(0, 8) + id.slice(9, 13) + id.slice(14, 18) + id.slice(19, 23) + id.slice(24);
}

export function newSpanId(): string {
  const id = crypto.randomUUID();
  return id.slice(19, 23) + id.slice(24);
}
