import { type TraceContext, traceOf } from '../../observe/trace-context.ts';
import type { Span, Tracer } from '../../observe/tracer.ts';
import type { TaskRecord } from '../../store/store.ts';

/**
 * The span of a run, from claim to release. A run that waits and resumes has several spans, and so has one that restarts
 * after a crash; all belong to the trace of the request that created the task.
 */
export class RunTrace {
  readonly #tracer: Tracer;
  #span: Span | undefined;
  #error: unknown;

  constructor(tracer: Tracer) {
    this.#tracer = tracer;
  }

  get context(): TraceContext | undefined {
    return this.#span?.context;
  }

  begin(record: TaskRecord): void {
    this.#span = this.#tracer.start('a2a.run', 'internal', traceOf(record), {
      'a2a.agent': record.agent,
      'a2a.task.id': record.id,
      'a2a.context.id': record.contextId,
      'a2a.run.attempt': record.attempts,
    });
  }

  within<T>(work: () => T): T {
    return this.#span === undefined ? work() : this.#span.within(work);
  }

  /** Sets the error of the handler, which is reported when the span ends. */
  fail(error: unknown): void {
    this.#error = error;
  }

  end({ status, endedAt }: TaskRecord): void {
    this.#span?.set('a2a.task.state', status.state);
    const isFailed = endedAt !== undefined && status.state === 'TASK_STATE_FAILED';
    this.#span?.end(this.#error ?? (isFailed ? new Error('The task failed') : undefined));
    this.#error = undefined;
  }

  /** Marks where a call was made. Everything that the called agent does is below this span, which does not outlive the run. */
  call(callId: string, peer: string): TraceContext {
    const span = this.#tracer.start('a2a.call', 'producer', this.context, {
      'a2a.call.id': callId,
      'a2a.call.peer': peer,
    });
    span.end();
    return span.context;
  }

  async step<T>(name: string, work: () => Promise<T>): Promise<T> {
    const span = this.#tracer.start('a2a.step', 'internal', this.context, { 'a2a.step.name': name });
    try {
      const result = await span.within(work);
      span.end();
      return result;
    } catch (error) {
      span.end(error);
      throw error;
    }
  }
}
