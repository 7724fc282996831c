import { A2AError } from '../errors.ts';
import type { OperationName } from '../model/operation.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { Observers } from '../observe/observers.ts';
import type { Span, Tracer } from '../observe/tracer.ts';
import { idsIn } from './failed-request.ts';
import type { RequestContext } from './request-context.ts';

type ObservedRequest = Pick<RequestContext, 'binding' | 'dialect' | 'parent' | 'becomes'>;

/** Records metrics and a span for each operation. Created only if metrics or tracing are enabled. */
export class OperationObserver {
  readonly #agent: string;
  readonly #tracer: Tracer | undefined;
  readonly #metrics: Metrics | undefined;

  constructor(agent: string, { tracer, metrics }: Observers) {
    this.#agent = agent;
    this.#tracer = tracer;
    this.#metrics = metrics;
  }

  async observe<T>(
    context: ObservedRequest,
    operation: OperationName,
    params: unknown,
    work: () => Promise<T>,
  ): Promise<T> {
    const started = performance.now();
    const span = this.#span(context, operation, params);
    try {
      const outcome = await (span === undefined ? work() : span.within(work));
      this.#count(context, operation, started, 'OK');
      span?.end();
      return outcome;
    } catch (error) {
      this.#count(context, operation, started, A2AError.is(error) ? error.code : 'INTERNAL_ERROR');
      // The span records the error, even if the caller caused it.
      span?.end(error);
      throw error;
    }
  }

  #count({ binding, dialect }: ObservedRequest, operation: OperationName, started: number, code: string): void {
    this.#metrics?.operationDone(operation, binding, dialect.version, code, (performance.now() - started) / 1000);
  }

  #span(context: ObservedRequest, operation: OperationName, params: unknown): Span | undefined {
    if (this.#tracer === undefined) return undefined;
    const { taskId, contextId } = idsIn(params);
    const span = this.#tracer.start(`a2a.${operation}`, 'server', context.parent, {
      'a2a.agent': this.#agent,
      'a2a.operation': operation,
      'a2a.binding': context.binding,
      'a2a.version': context.dialect.version,
      'a2a.task.id': taskId,
      'a2a.context.id': contextId,
    });
    context.becomes(span);
    return span;
  }
}
