import type { TraceContext } from './trace-context.ts';

export type SpanKind = 'internal' | 'server' | 'client';

export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** Something that takes time, and is told of when it is over. */
export interface Span {
  /** What is done meanwhile, here or elsewhere, is part of it. */
  readonly context: TraceContext;
  set(name: string, value: string | number | boolean): void;
  /** Runs `work` so that spans that others begin in it are part of this one. */
  within<T>(work: () => T): T;
  /** With the error it came to, if it did. */
  end(error?: unknown): void;
}

/** Where spans come from. Without one there are none, and nothing is done for them. */
export interface Tracer {
  start(name: string, kind: SpanKind, parent: TraceContext | undefined, attributes: SpanAttributes): Span;
  /** The span that the code around is part of. */
  active(): TraceContext | undefined;
}
