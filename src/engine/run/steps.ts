import type { JsonObject, JsonValue } from '../../model/json.ts';
import { artifactWriter, statusOutput } from '../output/artifact-writer.ts';
import { drain, isAsyncIterable, type Sink } from './drive.ts';
import { recordError, restoreError } from './failure-text.ts';
import type { Step, StepContext, StepOptions } from '../handler.ts';
import { copyOf } from '../../support/json/json-value.ts';
import { assertJson } from '../../support/json/to-json.ts';
import type { Writable } from '../../support/writable.ts';
import { markHandled, type RunPort } from './run-port.ts';
import type { StepOutputs, StepRecord } from '../output/step-outputs.ts';

/** The longest pause between two attempts. */
const MAX_BACKOFF_MS = 60_000;

export type StepFunction = (step: StepContext) => unknown;

/** Runs each step once. Its result is stored before the handler gets it, and comes from the journal in every replay. */
export class RunSteps {
  readonly #run: RunPort;
  readonly #keys = new StepKeys('');
  #performing = 0;

  constructor(run: RunPort) {
    this.#run = run;
  }

  /** Whether the function of a step is running. */
  get isPerforming(): boolean {
    return this.#performing > 0;
  }

  async step(name: string, work: StepFunction, options: StepOptions = {}, keys = this.#keys): Promise<unknown> {
    if (typeof name !== 'string' || name === '') throw new TypeError('The name of a step must be a non-empty string');
    if (typeof work !== 'function') throw new TypeError(`Step ${name} needs a function to run`);
    this.#run.assertRunning();
    const key = keys.next(name);
    const earlierKey = keys.earlier(name, options.was);
    const { journal } = this.#run;
    const known = journal.find('step', key) as StepRecord | undefined;
    if (known !== undefined) return this.#recorded(key, known);
    if (earlierKey !== undefined) {
      const renamed = journal.find('step', earlierKey) as StepRecord | undefined;
      if (renamed !== undefined) return this.#recorded(earlierKey, renamed);
    }
    return this.#run.completions.during(() => this.#perform(key, work, options, keys !== this.#keys, earlierKey));
  }

  /** Returns or throws the recorded result. */
  async #recorded(key: string, { value, error, outputs }: StepRecord): Promise<JsonValue | undefined> {
    const run = this.#run;
    const { unasked } = run.journal;
    const number = run.journal.numberOf('step', key);
    unasked?.asked('step', key);
    run.outputs.recallStep(outputs);
    await run.completions.again(number);
    unasked?.passed('step', number);
    run.outputs.endStep();
    if (error === undefined) return copyOf(value);
    throw restoreError(error);
  }

  /**
   * @param isInner Whether the step is inside another step, which calls it again if it is retried.
   * @param earlierKey The key that the step had before it was renamed.
   */
  async #perform(
    key: string,
    work: StepFunction,
    options: StepOptions,
    isInner: boolean,
    earlierKey: string | undefined,
  ): Promise<JsonValue | undefined> {
    const run = this.#run;
    const held = run.changedCode?.beforeNew('step', key);
    if (held !== undefined) {
      await held;
      run.assertRunning();
    }
    const created = run.created();
    if (created !== undefined) {
      await created;
      run.assertRunning();
    }
    const outputs = run.outputs.beginStep((options.retries ?? 0) > 0, options.repeats);
    this.#performing++;
    let result: StepRecord;
    let failure: { readonly error: unknown } | undefined;
    try {
      const value = await this.#result(key, work, options, outputs, earlierKey);
      run.outputs.completeStep(outputs);
      result = value === undefined ? {} : { value };
    } catch (error) {
      failure = { error };
      result = { error: recordError(error) };
    }
    this.#performing--;
    // Output is stored before the record of its step: in an earlier write, in the same one, or in the record itself.
    const record: Writable<StepRecord> = { ...result, outputs: run.outputs.recordOf(outputs) };
    const workedMs = run.timers.takeWorkedMs();
    if (workedMs > 0) record.workedMs = workedMs;
    const body = record as JsonObject;
    try {
      // An error that a step throws because the run is stopped is not its result.
      if (failure !== undefined && run.stopReason !== undefined) throw failure.error;
      run.engine.faultPoint('after-step');
      const number = await run.note('step', key, body);
      run.journal.unasked?.passed('step', number);
      run.engine.faultPoint('after-step-recorded');
      if (isInner) run.journal.add({ kind: 'step', key, body, number });
    } finally {
      run.outputs.endStep();
    }
    if (failure !== undefined) throw failure.error;
    return copyOf(result.value);
  }

  async #result(
    key: string,
    work: StepFunction,
    options: StepOptions,
    outputs: StepOutputs,
    earlierKey: string | undefined,
  ): Promise<JsonValue | undefined> {
    const { trace } = this.#run;
    const all = (): Promise<unknown> => tryAll(this, this.#run, key, work, options, outputs, earlierKey);
    return this.#storable(key, await (trace === undefined ? all() : trace.step(key, all)));
  }

  /** A value as the store will return it. */
  #storable(key: string, value: unknown): JsonValue | undefined {
    if (value === undefined) return undefined;
    assertJson(value, `The result of step ${key}`, 'plain');
    const text = JSON.stringify(value);
    const { maxOutputBytes } = this.#run.agent.limits;
    if (text.length > maxOutputBytes)
      throw new RangeError(`The result of step ${key} may have at most ${maxOutputBytes} bytes, got ${text.length}`);
    return typeof value === 'string' ? value : (JSON.parse(text) as JsonValue);
  }
}

/** Distinguishes steps of the same name by the order of their calls. */
class StepKeys {
  readonly #prefix: string;
  /** The prefix before the outer step was renamed. */
  readonly #earlierPrefix: string | undefined;
  readonly #counts = new Map<string, number>();

  constructor(prefix: string, earlierPrefix?: string) {
    this.#prefix = prefix;
    this.#earlierPrefix = earlierPrefix;
  }

  next(name: string): string {
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    return `${this.#prefix}${name}#${count}`;
  }

  /**
   * The key of the step for which `next` was just called, before it or the step around it was renamed. A renamed step counts
   * under both names, so that a step that has the earlier name now is not mistaken for it.
   */
  earlier(name: string, was: string | undefined): string | undefined {
    if (was !== undefined && (typeof was !== 'string' || was === ''))
      throw new TypeError(`Step ${name}: was must be the earlier name of the step, a non-empty string`);
    const isRenamed = was !== undefined && was !== name;
    if (!isRenamed && this.#earlierPrefix === undefined) return undefined;
    const prefix = this.#earlierPrefix ?? this.#prefix;
    if (!isRenamed) return `${prefix}${name}#${this.#counts.get(name) ?? 1}`;
    const count = (this.#counts.get(was) ?? 0) + 1;
    this.#counts.set(was, count);
    return `${prefix}${was}#${count}`;
  }
}

/** One attempt at a step, as its function sees it. */
class StepAttempt implements StepContext, Sink {
  readonly idempotencyKey: string;
  readonly attempt: number;
  /** Created on first use: most steps do not read it, and it costs as much as the rest of a short step. */
  declare readonly signal: AbortSignal;
  readonly #steps: RunSteps;
  readonly #run: RunPort;
  readonly #key: string;
  readonly #earlierKey: string | undefined;
  readonly #outputs: StepOutputs;
  #keys: StepKeys | undefined;
  #isEnded = false;

  constructor(
    steps: RunSteps,
    run: RunPort,
    key: string,
    attempt: number,
    outputs: StepOutputs,
    earlierKey: string | undefined,
  ) {
    this.#steps = steps;
    this.#run = run;
    this.#key = key;
    this.#earlierKey = earlierKey;
    this.#outputs = outputs;
    // That of the earlier name: an attempt under that name may have been interrupted before it was recorded.
    this.idempotencyKey = `${run.record.id}:${run.journal.turn}:${earlierKey ?? key}`;
    this.attempt = attempt;
    Object.defineProperty(this, 'signal', StepAttempt.#signal);
  }

  readonly status: StepContext['status'] = (status) => this.#publish(statusOutput(status));

  readonly artifact: StepContext['artifact'] = (name) => artifactWriter(name, (output) => this.#publish(output));

  readonly step: Step = (name: string, work: StepFunction, options?: StepOptions) => {
    const earlierKey = this.#earlierKey;
    this.#keys ??= new StepKeys(`${this.#key}/`, earlierKey === undefined ? undefined : `${earlierKey}/`);
    return markHandled(this.#run, this.#steps.step(name, work, options, this.#keys)) as Promise<never>;
  };

  get isOver(): boolean {
    return this.#run.isOver;
  }

  emit(output: unknown): void {
    if (this.#isEnded)
      throw new TypeError(`Step ${this.#key} has ended: await all outputs of a step before its function returns`);
    this.#run.emit(output, this.#outputs);
  }

  room(): Promise<void> | undefined {
    return this.#run.room();
  }

  end(): void {
    this.#isEnded = true;
  }

  #publish(output: unknown): Promise<void> {
    return markHandled(this.#run, this.#published(output));
  }

  async #published(output: unknown): Promise<void> {
    this.emit(output);
    await this.room();
  }

  /**
   * An own property, so that it is copied with the others. One getter for all instances, to avoid a hidden class per
   * instance.
   */
  static readonly #signal: PropertyDescriptor & ThisType<StepAttempt> = {
    get: function signal(this: StepAttempt): AbortSignal {
      return this.#run.signal;
    },
    enumerable: true,
  };
}

const FRAME = 'tandem: function of a step';

/** Its name at run time is `FRAME`, even in a bundle that renames functions. `isInsideStep` searches for it. */
const { [FRAME]: tryAll } = {
  async [FRAME](
    steps: RunSteps,
    run: RunPort,
    key: string,
    work: StepFunction,
    { retries = 0, backoffMs = 200 }: StepOptions,
    outputs: StepOutputs,
    earlierKey: string | undefined,
  ): Promise<unknown> {
    for (let attempt = 1; ; attempt++) {
      const certainty = run.confirmLease();
      if (certainty !== undefined) await certainty;
      const step = new StepAttempt(steps, run, key, attempt, outputs, earlierKey);
      try {
        const result = await work(step);
        if (!isAsyncIterable(result)) return result;
        const value = await drain(result, step);
        run.assertRunning();
        return value;
      } catch (error) {
        if (run.stopReason !== undefined || attempt > retries) throw error;
      } finally {
        step.end();
      }
      run.outputs.failAttempt(outputs);
      await run.timers.delay(Math.min(backoffMs * 2 ** (attempt - 1), MAX_BACKOFF_MS), run.signal);
    }
  },
};

const DEPTH = 100;

/**
 * Whether the calling code is the function of a step or awaited by one, judged by its call stack. An `AsyncLocalStorage`
 * would be exact but slows down every promise. In a runtime without async stack traces, the result is `false` after the
 * first `await` of the function.
 */
export function isInsideStep(): boolean {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = DEPTH;
  const { stack = '' } = new Error('Where is the caller?');
  Error.stackTraceLimit = stackTraceLimit;
  return stack.includes(FRAME);
}
