import type { JsonObject } from '../model/json.ts';
import type { Writable } from '../support/writable.ts';

/** A place in a trace, as W3C trace context has it: the trace, the span that is at work there, and what vendors add. */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** Two hexadecimal digits; the last bit says that the trace is recorded. */
  readonly flags: string;
  readonly tracestate?: string;
}

/** The headers that carry a trace. Both are absent where there is none. */
export interface TraceHeaders {
  readonly traceparent?: string;
  readonly tracestate?: string;
}

/** Later versions may go on after the flags; 00 may not. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-((?!0{32})[0-9a-f]{32})-((?!0{16})[0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** What the header may hold at most for everybody to pass it on. */
const MAX_TRACESTATE = 512;
const TRACESTATE = /^[\x20-\x7e\t]+$/;

/** Nothing if it is malformed, as the standard has it: then the trace begins anew. */
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

/** One step further in the same trace. */
export function childOf({ traceId, flags, tracestate }: TraceContext): TraceContext {
  const child: Writable<TraceContext> = { traceId, spanId: newSpanId(), flags };
  if (tracestate !== undefined) child.tracestate = tracestate;
  return child;
}

/** The trace that a stored task belongs to: that of the request that made it. */
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
