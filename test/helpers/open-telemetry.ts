import * as api from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { onTestFinished } from 'vitest';

/** A span that has ended. */
export interface SeenSpan {
  readonly name: string;
  readonly kind: api.SpanKind;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | undefined;
  readonly attributes: api.Attributes;
  readonly status: api.SpanStatus;
}

export interface OpenTelemetrySdk {
  /** The API that a user passes in the options. */
  readonly api: typeof api;
  /** All spans that have ended, in the order of their start. */
  spans(): readonly SeenSpan[];
  /** The ended spans with this name. */
  named(name: string): readonly SeenSpan[];
  forget(): void;
}

/** Registers the SDK of OpenTelemetry as a user would, until the test is over. */
export function openTelemetry(): OpenTelemetrySdk {
  const exporter = new InMemorySpanExporter();
  // The times of spans are too coarse to determine their order.
  const begun: string[] = [];
  const order: SpanProcessor = {
    onStart: (span) => void begun.push(span.spanContext().spanId),
    onEnd() {},
    forceFlush: async () => {},
    shutdown: async () => {},
  };
  const provider = new BasicTracerProvider({ spanProcessors: [order, new SimpleSpanProcessor(exporter)] });
  api.context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  api.trace.setGlobalTracerProvider(provider);
  onTestFinished(async () => {
    api.trace.disable();
    api.context.disable();
    await provider.forceFlush();
    await provider.shutdown();
  });
  const place = ({ spanId }: SeenSpan): number => begun.indexOf(spanId);
  const spans = (): readonly SeenSpan[] =>
    exporter
      .getFinishedSpans()
      .map(seen)
      .toSorted((a, b) => place(a) - place(b));
  return {
    api,
    spans,
    named: (name) => spans().filter((span) => span.name === name),
    forget: () => exporter.reset(),
  };
}

function seen(span: ReadableSpan): SeenSpan {
  const { name, kind, attributes, status, parentSpanContext } = span;
  const { traceId, spanId } = span.spanContext();
  return { name, kind, traceId, spanId, parentId: parentSpanContext?.spanId, attributes, status };
}
