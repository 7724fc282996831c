import { AsyncLocalStorage } from 'node:async_hooks';
import type { OpenTelemetry, OtelSpan } from '../../src/observe/opentelemetry.ts';

/** A span that was made, as a test looks at it. */
export interface SeenSpan {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | undefined;
  readonly attributes: Record<string, unknown>;
  status: { readonly code: number; readonly message?: string } | undefined;
  isEnded: boolean;
}

interface SpanContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags: number;
  readonly traceState?: { serialize(): string } | undefined;
}

interface Context {
  readonly span?: SpanContext;
}

interface SpanOptions {
  readonly kind: number;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** An OpenTelemetry of our own, as far as it is used: it keeps every span. */
export function fakeTracing(): { readonly api: OpenTelemetry; readonly spans: SeenSpan[] } {
  const spans: SeenSpan[] = [];
  const active = new AsyncLocalStorage<Context>();
  const root: Context = {};
  const startSpan = (name: string, { kind, attributes }: SpanOptions, { span: parent }: Context): OtelSpan => {
    const spanId = hex(16);
    const seen: SeenSpan = {
      name,
      kind,
      traceId: parent?.traceId ?? hex(32),
      spanId,
      parentId: parent?.spanId,
      attributes: { ...attributes },
      status: undefined,
      isEnded: false,
    };
    spans.push(seen);
    const { traceId } = seen;
    return {
      spanContext: () => ({ traceId, spanId, traceFlags: 1, traceState: parent?.traceState }),
      setAttribute: (key, value) => (seen.attributes[key] = value),
      setStatus: (status) => (seen.status = status),
      end: () => void (seen.isEnded = true),
    };
  };
  const api: OpenTelemetry = {
    ROOT_CONTEXT: root,
    context: {
      active: () => active.getStore() ?? root,
      with: (context, work) => active.run(context, work),
    },
    trace: {
      getTracer: () => ({ startSpan }),
      getSpanContext: (context) => (context as Context).span,
      setSpan: (_context, span) => ({ span: (span as OtelSpan).spanContext() }),
      setSpanContext: (_context, span) => ({ span: span as SpanContext }),
    },
    createTraceState: (text = '') => ({ serialize: () => text }),
  };
  return { api, spans };
}

function hex(digits: number): string {
  return (crypto.randomUUID() + crypto.randomUUID()).replaceAll('-', '').slice(0, digits);
}
