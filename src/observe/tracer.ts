import type { TraceContext } from './trace-context.ts';

/** Whether a span serves a request, sends one, hands work over that others do later, or does neither. */
export type SpanKind = 'internal' | 'server' | 'client' | 'producer';

/** The attributes of a span by name. Undefined ones are left out. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** A timed operation, reported when it ends. */
export interface Span {
  /** The trace context to pass to operations that are part of this span, here or in another process. */
  readonly context: TraceContext;
  /** Sets an attribute. */
  set(name: string, value: string | number | boolean): void;
  /** Runs `work` with this span active, so that spans started inside become its children. */
  within<T>(work: () => T): T;
  /** Ends the span, as failed if an error is passed. */
  end(error?: unknown): void;
}

/** Creates spans. Without a tracer there are no spans and no cost. */
export interface Tracer {
  /**
   * Starts a span, as a child of `parent` or of the active span.
   *
   * @param startedAt When the operation began, in milliseconds since 1970, if it was before now.
   */
  start(
    name: string,
    kind: SpanKind,
    parent: TraceContext | undefined,
    attributes: SpanAttributes,
    startedAt?: number,
  ): Span;
  /** The active span of the surrounding code. */
  active(): TraceContext | undefined;
}
