/** W3C trace context, level 1: version, trace id, span id, flags. */
const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** The trace that a call is part of. Each request of the call is a span of its own in it. */
export class Trace {
  readonly #id: string;
  readonly #flags: string;

  /** Goes on with the caller's trace; begins a new one if there is none, or none that can be read. */
  constructor(traceparent?: string) {
    const [, id, , flags] = TRACEPARENT.exec(traceparent ?? '') ?? [];
    this.#id = id ?? newTraceId();
    this.#flags = flags ?? '01';
  }

  /** The header of the last request. */
  last = '';

  /** The header for one more request. */
  next(): string {
    this.last = `00-${this.#id}-${newSpanId()}-${this.#flags}`;
    return this.last;
  }
}

function newTraceId(): string {
  const id = crypto.randomUUID();
  return id.slice(0, 8) + id.slice(9, 13) + id.slice(14, 18) + id.slice(19, 23) + id.slice(24);
}

function newSpanId(): string {
  const id = crypto.randomUUID();
  return id.slice(19, 23) + id.slice(24);
}
