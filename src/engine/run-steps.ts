import type { JsonObject, JsonValue } from '../model/json.ts';
import { certaintyOf } from './certainty.ts';
import { plainError } from './failure-text.ts';
import type { StepContext, StepOptions } from './handler.ts';
import { copyOf } from './json-value.ts';
import type { Run } from './run.ts';

/** The longest pause between two tries. */
const MAX_BACKOFF_MS = 60_000;

/** What the journal keeps of a step. */
interface StepRecord {
  readonly value?: JsonValue;
  readonly error?: { readonly name: string; readonly message: string };
}

class Attempt implements StepContext {
  readonly idempotencyKey: string;
  readonly attempt: number;
  /** Made when asked for: most steps do not look at it, and it costs as much as the rest of a short one. */
  declare readonly signal: AbortSignal;
  readonly #run: Run;

  constructor(run: Run, idempotencyKey: string, attempt: number) {
    this.#run = run;
    this.idempotencyKey = idempotencyKey;
    this.attempt = attempt;
    Object.defineProperty(this, 'signal', Attempt.#signal);
  }

  /** Its own member, so that it is copied with the others; one getter for all, or each would have a hidden class. */
  static readonly #signal: PropertyDescriptor & ThisType<Attempt> = {
    get: function signal(this: Attempt): AbortSignal {
      return this.#run.signal;
    },
    enumerable: true,
  };
}

/** Runs each step once: its result is stored before the handler gets it, and comes from the journal ever after. */
export class RunSteps {
  readonly #run: Run;
  #occurrences: Map<string, number> | undefined;

  constructor(run: Run) {
    this.#run = run;
  }

  async step<T>(name: string, work: (step: StepContext) => T | Promise<T>, options: StepOptions = {}): Promise<T> {
    if (typeof name !== 'string' || name === '') throw new TypeError('A step needs a name');
    if (typeof work !== 'function') throw new TypeError(`Step ${name} needs a function to run`);
    this.#run.assertRunning();
    const key = this.#keyOf(name);
    const known = this.#run.journal.find('step', key) as StepRecord | undefined;
    if (known === undefined) return (await this.#run.pauses.busy(() => this.#perform(key, work, options))) as T;
    await this.#run.order.again('step', key);
    if (known.error === undefined) return copyOf(known.value) as T;
    throw Object.assign(new Error(known.error.message), { name: known.error.name });
  }

  /** Steps of one name are told apart by the order in which they are called. */
  #keyOf(name: string): string {
    this.#occurrences ??= new Map();
    const occurrence = (this.#occurrences.get(name) ?? 0) + 1;
    this.#occurrences.set(name, occurrence);
    return `${name}#${occurrence}`;
  }

  async #perform(key: string, work: (step: StepContext) => unknown, options: StepOptions): Promise<unknown> {
    const run = this.#run;
    const { creation } = run;
    if (creation !== undefined) {
      // In one write with the creation: the task will be seen because of the step in any case.
      run.announce();
      await creation;
      run.assertRunning();
    }
    const record = (body: StepRecord): Promise<void> => run.note('step', key, body as JsonObject);
    try {
      const all = (): Promise<unknown> => this.#tryAll(key, work, options);
      const value = this.#storable(key, await (run.trace === undefined ? all() : run.trace.step(key, all)));
      run.env.faultPoint('after-step');
      await record(value === undefined ? {} : { value });
      run.env.faultPoint('after-step-recorded');
      return copyOf(value);
    } catch (error) {
      // What a step says because it was told to stop is no result.
      if (run.isToldToStop) throw error;
      await record({ error: plainError(error) });
      throw error;
    }
  }

  /** A value as it will come back from the store. */
  #storable(key: string, value: unknown): JsonValue | undefined {
    if (value === undefined) return undefined;
    const text = JSON.stringify(value);
    if (text === undefined) throw new TypeError(`The result of step ${key} must be something that JSON can hold`);
    const { maxOutputBytes } = this.#run.agent.limits;
    if (text.length > maxOutputBytes)
      throw new RangeError(`The result of step ${key} may have ${maxOutputBytes} bytes, and has ${text.length}`);
    return typeof value === 'string' ? value : (JSON.parse(text) as JsonValue);
  }

  async #tryAll(key: string, work: (step: StepContext) => unknown, options: StepOptions): Promise<unknown> {
    const { retries = 0, backoffMs = 200 } = options;
    const run = this.#run;
    const idempotencyKey = `${run.taskId}:${run.journal.turn}:${key}`;
    for (let attempt = 1; ; attempt++) {
      const certainty = certaintyOf(run);
      if (certainty !== undefined) await certainty;
      try {
        return await work(new Attempt(run, idempotencyKey, attempt));
      } catch (error) {
        if (run.isToldToStop || attempt > retries) throw error;
      }
      await run.timers.delay(Math.min(backoffMs * 2 ** (attempt - 1), MAX_BACKOFF_MS), run.signal);
    }
  }
}
