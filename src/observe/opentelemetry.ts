import { withoutSecrets } from '../support/secret/secret-texts.ts';
import { PACKAGE_VERSION } from '../support/package-version.ts';
import type { Writable } from '../support/writable.ts';
import type { TraceContext } from './trace-context.ts';
import type { Span, SpanAttributes, SpanKind, Tracer } from './tracer.ts';

/**
 * The part of `@opentelemetry/api` that Tandem uses. Pass the whole module. Tandem does not import it, so that it stays
 * optional and there is no doubt about which of two installed copies is used.
 *
 * @example
 * import * as api from '@opentelemetry/api';
 * createHandler(agent, { tracing: api });
 */
export interface OpenTelemetry {
  /** The context without a span. */
  readonly ROOT_CONTEXT: OtelContext;
  /** Reads and sets the active context. */
  readonly context: {
    /** Returns the active context. */
    active(): OtelContext;
    /** Runs `work` with a context active. */
    with<T>(context: OtelContext, work: () => T): T;
  };
  /** Creates tracers, and reads and sets the span of a context. */
  readonly trace: {
    /** Returns the tracer of a library. */
    getTracer(name: string, version?: string): OtelTracer;
    /** Returns the ids of the span of a context, if it has one. */
    getSpanContext(context: OtelContext): OtelSpanContext | undefined;
    /** Returns the context with a span. */
    setSpan(context: OtelContext, span: never): OtelContext;
    /** Returns the context with the ids of a span, which may be in another process. */
    setSpanContext(context: OtelContext, spanContext: never): OtelContext;
  };
  /** Parses the `tracestate` header. Without it, `tracestate` is not propagated to spans. */
  createTraceState?(text?: string): unknown;
}

/** A context of OpenTelemetry, which Tandem only passes on. */
export type OtelContext = object;

/** The ids of a span, as OpenTelemetry represents them. */
export interface OtelSpanContext {
  /** The id of the trace: 32 hexadecimal digits. */
  readonly traceId: string;
  /** The id of the span: 16 hexadecimal digits. */
  readonly spanId: string;
  /** The trace flags; 1 if the trace is sampled. */
  readonly traceFlags: number;
  /** The vendor-specific `tracestate` of the trace. */
  readonly traceState?:
    | {
        /** Returns the text of the header. */
        serialize(): string;
      }
    | undefined;
}

/** The part of an OpenTelemetry tracer that Tandem uses. */
export interface OtelTracer {
  /** Starts a span. */
  startSpan(name: string, options: never, context: never): OtelSpan;
}

/** The part of an OpenTelemetry span that Tandem uses. */
export interface OtelSpan {
  /** Returns the ids of the span. */
  spanContext(): OtelSpanContext;
  /** Sets an attribute. */
  setAttribute(name: string, value: string | number | boolean): unknown;
  /** Sets the status. */
  setStatus(status: {
    /** A `SpanStatusCode`: 2 for an error. */
    readonly code: number;
    /** A description of the error. */
    readonly message?: string;
  }): unknown;
  /** Ends the span. */
  end(): void;
}

/** The values of `SpanKind` and `SpanStatusCode` in OpenTelemetry. */
const KINDS: Readonly<Record<SpanKind, number>> = { internal: 0, server: 1, client: 2, producer: 3 };
const STATUS_ERROR = 2;

/** The maximum length of an error message in a span. */
const MAX_MESSAGE = 256;

export function openTelemetryTracer(api: OpenTelemetry): Tracer {
  const tracer = api.trace.getTracer('tandem-a2a', PACKAGE_VERSION);
  return {
    start(name, kind, parent, attributes, startedAt) {
      const context = parent === undefined ? api.context.active() : remote(api, parent);
      const startTime = startedAt === undefined ? undefined : new Date(startedAt);
      const options = { kind: KINDS[kind], attributes: known(attributes), startTime };
      return new ApiSpan(api, context, tracer.startSpan(name, options as never, context as never));
    },
    active() {
      const active = api.trace.getSpanContext(api.context.active());
      return active === undefined ? undefined : fromApi(active);
    },
  };
}

class ApiSpan implements Span {
  readonly #api: OpenTelemetry;
  readonly #context: OtelContext;
  readonly #span: OtelSpan;
  readonly context: TraceContext;

  constructor(api: OpenTelemetry, parent: OtelContext, span: OtelSpan) {
    this.#api = api;
    this.#span = span;
    this.#context = api.trace.setSpan(parent, span as never);
    this.context = fromApi(span.spanContext());
  }

  set(name: string, value: string | number | boolean): void {
    this.#span.setAttribute(name, value);
  }

  within<T>(work: () => T): T {
    return this.#api.context.with(this.#context, work);
  }

  end(error?: unknown): void {
    if (error !== undefined) {
      this.#span.setAttribute('error.type', typeOf(error));
      this.#span.setStatus({ code: STATUS_ERROR, message: textOf(error) });
    }
    this.#span.end();
  }
}

/** The context of a parent span that may be in another process. The active context of this process is not part of it. */
function remote(api: OpenTelemetry, { traceId, spanId, flags, tracestate }: TraceContext): OtelContext {
  const traceState = tracestate === undefined ? undefined : api.createTraceState?.(tracestate);
  const spanContext = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true, traceState };
  return api.trace.setSpanContext(api.ROOT_CONTEXT, spanContext as never);
}

function fromApi({ traceId, spanId, traceFlags, traceState }: OtelSpanContext): TraceContext {
  const context: Writable<TraceContext> = { traceId, spanId, flags: traceFlags.toString(16).padStart(2, '0') };
  const tracestate = traceState?.serialize() ?? '';
  if (tracestate !== '') context.tracestate = tracestate;
  return context;
}

function known(attributes: SpanAttributes): SpanAttributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));
}

function typeOf(error: unknown): string {
  const { code, name } = error as { readonly code?: unknown; readonly name?: unknown };
  return typeof code === 'string' ? code : typeof name === 'string' ? name : typeof error;
}

/** The message without stack and causes, because spans leave the machine. */
function textOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return withoutSecrets(text.slice(0, MAX_MESSAGE), '[redacted]');
}
