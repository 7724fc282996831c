import { newSpanId, newTraceId, parseTrace, type TraceContext, traceparentText } from '../../observe/trace-context.ts';

/** The trace that a call is part of. Each request of the call is a span of its own in it. */
export class Trace {
  readonly #id: string;
  readonly #flags: string;
  /** The parent of the call: given by the user, or set by the first span. */
  parent: TraceContext | undefined;
  readonly state: string | undefined;

  /** Continues the caller's trace. Starts a new one if there is none or it is invalid. */
  constructor(traceparent?: string, tracestate?: string) {
    this.parent = parseTrace(traceparent, tracestate);
    this.#id = this.parent?.traceId ?? newTraceId();
    this.#flags = this.parent?.flags ?? '01';
    this.state = this.parent?.tracestate;
  }

  /** The header of the last request. */
  last = '';

  /** The header for the next request, from its span if there is one. */
  next(span?: TraceContext): string {
    this.last = span === undefined ? `00-${this.#id}-${newSpanId()}-${this.#flags}` : traceparentText(span);
    return this.last;
  }
}
