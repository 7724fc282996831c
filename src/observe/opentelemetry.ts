import { withoutSecrets } from '../support/secret-texts.ts';
import { PACKAGE_VERSION } from '../support/package-version.ts';
import type { Writable } from '../support/writable.ts';
import type { TraceContext } from './trace-context.ts';
import type { Span, SpanAttributes, SpanKind, Tracer } from './tracer.ts';

/**
 * What is used of `@opentelemetry/api`. Its own types fit: `import * as api from '@opentelemetry/api'`. It is handed in
 * rather than loaded, so that whoever has none needs none, and there is no question which of two copies is meant.
 */
export interface OpenTelemetry {
  readonly ROOT_CONTEXT: OtelContext;
  readonly context: {
    active(): OtelContext;
    with<T>(context: OtelContext, work: () => T): T;
  };
  readonly trace: {
    getTracer(name: string, version?: string): OtelTracer;
    getSpanContext(context: OtelContext): OtelSpanContext | undefined;
    setSpan(context: OtelContext, span: never): OtelContext;
    setSpanContext(context: OtelContext, spanContext: never): OtelContext;
  };
  createTraceState?(text?: string): unknown;
}

/** Opaque. */
export type OtelContext = object;

export interface OtelSpanContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags: number;
  readonly traceState?: { serialize(): string } | undefined;
}

export interface OtelTracer {
  startSpan(name: string, options: never, context: never): OtelSpan;
}

export interface OtelSpan {
  spanContext(): OtelSpanContext;
  setAttribute(name: string, value: string | number | boolean): unknown;
  setStatus(status: { readonly code: number; readonly message?: string }): unknown;
  end(): void;
}

/** The numbers that OpenTelemetry has for these. */
const KINDS: Readonly<Record<SpanKind, number>> = { internal: 0, server: 1, client: 2 };
const STATUS_ERROR = 2;

/** Enough for a sentence. */
const MAX_MESSAGE = 256;

export function openTelemetryTracer(api: OpenTelemetry): Tracer {
  const tracer = api.trace.getTracer('tandem-a2a', PACKAGE_VERSION);
  return {
    start(name, kind, parent, attributes) {
      const context = parent === undefined ? api.context.active() : remote(api, parent);
      const options = { kind: KINDS[kind], attributes: known(attributes) };
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

/** A place in a trace that may be in another process. What was active here has nothing to do with it. */
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

/** Neither a stack nor a cause: spans leave the machine. */
function textOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return withoutSecrets(text.slice(0, MAX_MESSAGE), '[redacted]');
}
