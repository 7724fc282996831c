import { newSpanId, newTraceId, parseTrace } from '../observe/trace-context.ts';

/** The trace that a call is part of. Each request of the call is a span of its own in it. */
export class Trace {
  readonly #id: string;
  readonly #flags: string;

  /** Goes on with the caller's trace; begins a new one if there is none, or none that can be read. */
  constructor(traceparent?: string) {
    const parent = parseTrace(traceparent);
    this.#id = parent?.traceId ?? newTraceId();
    this.#flags = parent?.flags ?? '01';
  }

  /** The header of the last request. */
  last = '';

  /** The header for one more request. */
  next(): string {
    this.last = `00-${this.#id}-${newSpanId()}-${this.#flags}`;
    return this.last;
  }
}
