import { newSpanId, newTraceId, parseTrace, type TraceContext, traceparentText } from '../observe/trace-context.ts';

/** The trace that a call is part of. Each request of the call is a span of its own in it. */
export class Trace {
  readonly #id: string;
  readonly #flags: string;
  /** Where the call is, if that is known: given, or found out by the first span. */
  parent: TraceContext | undefined;
  readonly state: string | undefined;

  /** Goes on with the caller's trace; begins a new one if there is none, or none that can be read. */
  constructor(traceparent?: string, tracestate?: string) {
    this.parent = parseTrace(traceparent, tracestate);
    this.#id = this.parent?.traceId ?? newTraceId();
    this.#flags = this.parent?.flags ?? '01';
    this.state = this.parent?.tracestate;
  }

  /** The header of the last request. */
  last = '';

  /** The header for one more request; of the span that was begun for it, if there is one. */
  next(span?: TraceContext): string {
    this.last = span === undefined ? `00-${this.#id}-${newSpanId()}-${this.#flags}` : traceparentText(span);
    return this.last;
  }
}
