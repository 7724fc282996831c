import type { TraceContext } from './trace-context.ts';

/** Whether a span serves a request, sends one, or does neither. */
export type SpanKind = 'internal' | 'server' | 'client';

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
  /** Starts a span, as a child of `parent` or of the active span. */
  start(name: string, kind: SpanKind, parent: TraceContext | undefined, attributes: SpanAttributes): Span;
  /** The active span of the surrounding code. */
  active(): TraceContext | undefined;
}
