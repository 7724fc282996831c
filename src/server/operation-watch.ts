import { A2AError } from '../errors.ts';
import type { OperationName } from '../model/operation.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { Observers } from '../observe/observers.ts';
import type { Span, Tracer } from '../observe/tracer.ts';
import { idsIn } from './failed-request.ts';
import type { HttpCall } from './http-call.ts';

/** Measures operations, and makes a span of each. There is none where nobody wants to know. */
export class OperationWatch {
  readonly #agent: string;
  readonly #tracer: Tracer | undefined;
  readonly #metrics: Metrics | undefined;

  constructor(agent: string, { tracer, metrics }: Observers) {
    this.#agent = agent;
    this.#tracer = tracer;
    this.#metrics = metrics;
  }

  async see<T>(call: HttpCall, operation: OperationName, params: unknown, work: () => Promise<T>): Promise<T> {
    const started = performance.now();
    const span = this.#span(call, operation, params);
    try {
      const outcome = await (span === undefined ? work() : span.within(work));
      this.#count(call, operation, started, 'OK');
      span?.end();
      return outcome;
    } catch (error) {
      this.#count(call, operation, started, A2AError.is(error) ? error.code : 'INTERNAL_ERROR');
      // Whoever asked for the wrong thing has not made us fail, but his span should say so all the same.
      span?.end(error);
      throw error;
    }
  }

  #count({ binding, dialect }: HttpCall, operation: OperationName, started: number, code: string): void {
    this.#metrics?.operationDone(operation, binding, dialect.version, code, (performance.now() - started) / 1000);
  }

  #span(call: HttpCall, operation: OperationName, params: unknown): Span | undefined {
    if (this.#tracer === undefined) return undefined;
    const { taskId, contextId } = idsIn(params);
    const span = this.#tracer.start(`a2a.${operation}`, 'server', call.parent, {
      'a2a.agent': this.#agent,
      'a2a.operation': operation,
      'a2a.binding': call.binding,
      'a2a.version': call.dialect.version,
      'a2a.task.id': taskId,
      'a2a.context.id': contextId,
    });
    call.becomes(span);
    return span;
  }
}
