import { type Handler, QuestionExpiredError, type StepContext, type TaskContext } from '../../src/engine/handler.ts';
import type { ArtifactOutput, Output } from '../../src/engine/output/output.ts';
import type { JsonValue } from '../../src/model/json.ts';
import type { SimNode } from './node.ts';
import {
  type Action,
  type Program,
  programOf,
  type QuestionPlan,
  type StepOutputPlan,
  type StepPlan,
} from './program.ts';
import { type Emitted, ended, type HandlerRun, type HandlerChecks } from './handler-checks.ts';

export interface HandlerOptions {
  readonly mustNotRunTwice: boolean;
  readonly hasStepOutputs: boolean;
}

/** A handler that runs the program of its message, and reports everything that it sees and does to the checks. */
export function simulatedHandler(
  node: SimNode,
  checks: HandlerChecks,
  { mustNotRunTwice, hasStepOutputs }: HandlerOptions,
): Handler {
  return (ctx) => {
    const handlerRun = checks.begins(node, ctx.taskId, ctx.message.messageId, mustNotRunTwice);
    const program = programOf(ctx.text, handlerRun.attempt, hasStepOutputs);
    const outputs = new ProgramRun(ctx, handlerRun, checks).perform(program);
    return program.isGenerator ? outputs : spoken(outputs, ctx);
  };
}

/** The same without a generator: its outputs are published through the context. */
async function spoken(
  outputs: AsyncGenerator<Output, Output | undefined>,
  ctx: TaskContext,
): Promise<Output | undefined> {
  for (;;) {
    const { done, value } = await outputs.next();
    if (done === true) return value;
    await published(value, ctx);
  }
}

async function published(value: Output, ctx: Pick<TaskContext, 'artifact' | 'status'>): Promise<void> {
  if (typeof value === 'string') await ctx.artifact('response').append(value);
  else if ('artifact' in value && value.artifact !== undefined) await chunked(ctx, value);
  else if ('status' in value && value.status !== undefined) await ctx.status(value);
}

async function chunked(
  ctx: Pick<TaskContext, 'artifact'>,
  { artifact, append, lastChunk = false, text = '' }: ArtifactOutput,
): Promise<void> {
  const writer = ctx.artifact(artifact);
  await (append === true ? writer.append(text, { lastChunk }) : writer.replace(text, { lastChunk }));
}

/** Concurrent steps have no order; a retry keeps the outputs of a failed attempt through the context of the task. */
function mayDisorder(action: Action): boolean {
  if (action.do === 'ask and work') return action.step.failures > 0;
  return action.do === 'steps' && (action.steps.length > 1 || action.steps.some(({ failures }) => failures > 0));
}

function emittedBy({ isOwn, artifact, text, append }: StepOutputPlan, mark: string): Emitted {
  return { artifact, text: isOwn ? `${text}${mark}` : text, append };
}

function outputOf({ artifact, text, append }: Emitted): Output {
  return artifact === undefined ? { status: 'working', text } : { artifact, text: ended(text), append };
}

const NO_ANSWER = 'no answer;';

class StepFailure extends Error {
  override readonly name = 'StepFailure';
}

class ProgramRun {
  readonly #ctx: TaskContext;
  readonly #run: HandlerRun;
  readonly #checks: HandlerChecks;
  readonly #occurrences = new Map<string, number>();
  readonly #read: string[] = [];
  /** All outputs of this attempt, and of the recorded steps that it has called. */
  readonly #emitted: Emitted[] = [];
  #sleeps = 0;
  #reads = 0;

  constructor(ctx: TaskContext, handlerRun: HandlerRun, checks: HandlerChecks) {
    this.#ctx = ctx;
    this.#run = handlerRun;
    this.#checks = checks;
  }

  async *perform({ actions, ending, isSteady }: Program): AsyncGenerator<Output, Output | undefined> {
    for (const action of actions) yield* this.#act(action);
    if (ending === 'text') this.#emitted.push({ artifact: 'response', text: 'the end', append: true });
    const isOrdered = isSteady && !actions.some(mayDisorder);
    if (!['throw', 'reply', 'turn', 'hang', 'chatter'].includes(ending))
      this.#checks.emitted(this.#run, this.#emitted, { isOrdered, isSteady });
    switch (ending) {
      case 'return':
        return undefined;
      case 'text':
        return ended('the end');
      case 'throw':
        throw new Error('the program says so');
      case 'reject':
        return this.#ctx.reject('not today');
      case 'reply':
        return this.#ctx.reply('a bare word');
      case 'turn':
        return { status: 'input-required', text: 'and then?' };
      case 'fail':
        return { status: 'failed', text: 'it did not work' };
      case 'hang':
        return this.#pause(60_000, this.#run.fence % 2 === 0);
      case 'chatter':
        yield { status: 'completed', text: 'done' };
        yield { status: 'working', text: 'still here' };
        throw new Error('too late');
    }
  }

  async *#act(action: Action): AsyncGenerator<Output> {
    switch (action.do) {
      case 'say':
        yield { status: 'working', text: action.text };
        break;
      case 'chunk': {
        const { artifact, text, append, last } = action;
        this.#emitted.push({ artifact, text, append });
        yield { artifact, text: ended(text), append, lastChunk: last };
        break;
      }
      case 'steps':
        for (const outputs of await Promise.all(action.steps.map((step) => this.#step(step))))
          this.#emitted.push(...outputs);
        break;
      case 'sleep':
        await this.#sleep(action.ms);
        break;
      case 'ask':
        yield this.#response(await this.#ask(action.question));
        break;
      case 'ask several': {
        const order: string[] = [];
        const asked = action.questions.map((question) => this.#ask(question).then(() => order.push(question.text)));
        await Promise.all(asked);
        const way = order.join();
        // A program that diverged may have asked others.
        const stored = await this.#ctx.step(`order of ${action.questions.map(({ text }) => text).join()}`, () => way);
        await this.#whileAlive();
        this.#checks.went(this.#run, way, stored);
        break;
      }
      case 'ask and work': {
        const asked = this.#ask(action.question);
        const [, outputs] = await Promise.all([asked, this.#step(action.step), this.#sleep(action.napMs)]);
        this.#emitted.push(...outputs);
        break;
      }
      case 'ask and say': {
        const asked = this.#ask(action.question);
        // The result is awaited below, if the sleep does not end the run before.
        asked.catch(() => {});
        await this.#sleep(action.napMs);
        yield { status: 'working', text: 'meanwhile' };
        await asked;
        break;
      }
      case 'race': {
        const answer = this.#ask(action.question).then((text) => (text === NO_ANSWER ? 'by expiry' : 'by the answer'));
        const sleep = this.#sleep(action.napMs).then(() => 'by the clock');
        const way = await Promise.race([answer, sleep]);
        const stored = await this.#ctx.step('way', () => way);
        await this.#whileAlive();
        this.#checks.went(this.#run, way, stored);
        await Promise.all([answer, sleep]);
        break;
      }
      case 'inbox':
        yield this.#response(await this.#take());
        break;
      case 'work':
        await this.#pause(action.ms, action.heedsSignal);
    }
  }

  #response(text: string): Output {
    const emitted = { artifact: 'response', text, append: true };
    this.#emitted.push(emitted);
    return outputOf(emitted);
  }

  /** Resolves with the outputs of the execution that is recorded. */
  async #step(plan: StepPlan): Promise<readonly Emitted[]> {
    const { name, retries } = plan;
    const occurrence = (this.#occurrences.get(name) ?? 0) + 1;
    this.#occurrences.set(name, occurrence);
    const key = `${name}#${occurrence}`;
    try {
      const work = (step: StepContext): AsyncGenerator<Output, string> => this.#work(plan, step);
      const options = { retries, backoffMs: 5 };
      const mark = plan.isGenerator
        ? await this.#ctx.step(name, work, options)
        : await this.#ctx.step(name, (step) => this.#drained(work(step), step), options);
      await this.#whileAlive();
      this.#checks.got(this.#run, key, { value: mark });
      return this.#checks.outputsOf(mark);
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'StepFailure') throw error;
      await this.#whileAlive();
      // A step whose signal was aborted may fail because of that, which is not recorded.
      if (this.#ctx.signal.aborted) throw error;
      const { message } = error;
      this.#checks.got(this.#run, key, { error: { name: 'StepFailure', message } });
      return this.#checks.outputsOf(message);
    }
  }

  /** The function of a step: yields its outputs through its own context. */
  async *#work(
    { outputs, ms, failures, heedsSignal }: StepPlan,
    { idempotencyKey, attempt }: StepContext,
  ): AsyncGenerator<Output, string> {
    const mark = this.#checks.executes(this.#run, idempotencyKey);
    this.#checks.publishes(
      mark,
      outputs.map((output) => emittedBy(output, mark)),
    );
    const half = outputs.length >> 1;
    for (const output of outputs.slice(0, half)) yield* this.#publish(output, mark);
    await this.#pause(ms, heedsSignal);
    for (const output of outputs.slice(half)) yield* this.#publish(output, mark);
    if (attempt <= failures) throw new StepFailure(mark);
    return mark;
  }

  async *#publish(plan: StepOutputPlan, mark: string): AsyncGenerator<Output> {
    const output = outputOf(emittedBy(plan, mark));
    if (plan.isOwn) yield output;
    else await published(output, this.#ctx);
  }

  /** The same without a generator: its outputs are published through the context of the step. */
  async #drained(outputs: AsyncGenerator<Output, string>, step: StepContext): Promise<string> {
    for (;;) {
      const { done, value } = await outputs.next();
      if (done === true) return value;
      await published(value, step);
    }
  }

  async #sleep(ms: number): Promise<void> {
    const nth = ++this.#sleeps;
    await this.#ctx.sleep(ms);
    await this.#whileAlive();
    this.#checks.woke(this.#run, nth);
  }

  async #ask({ text, isConfirmation, ttlMs, catches }: QuestionPlan): Promise<string> {
    const shown = isConfirmation ? `${text} (yes/no)` : text;
    try {
      const options = { timeoutMs: ttlMs };
      const answer: JsonValue = isConfirmation
        ? await this.#ctx.ask({ confirm: text }, options)
        : await this.#ctx.ask(text, options);
      await this.#whileAlive();
      this.#checks.answered(this.#run, shown, { value: answer });
      return `${String(answer)};`;
    } catch (error) {
      if (!(error instanceof QuestionExpiredError)) throw error;
      await this.#whileAlive();
      this.#checks.answered(this.#run, shown, { expired: true });
      if (!catches) throw error;
      return NO_ANSWER;
    }
  }

  async #take(): Promise<string> {
    const nth = ++this.#reads;
    const messages = await this.#ctx.inbox.take();
    await this.#whileAlive();
    for (const { messageId } of messages) this.#read.push(messageId);
    this.#checks.read(this.#run, nth, this.#read, messages.length === 0);
    return `${messages.length} messages;`;
  }

  #pause(ms: number, heedsSignal: boolean): Promise<undefined> {
    const { signal } = this.#ctx;
    const { node } = this.#run;
    return new Promise((resolve, reject) => {
      const stop = (): void => reject(signal.reason as Error);
      node.later(node.world.time + ms, () => {
        signal.removeEventListener('abort', stop);
        resolve(undefined);
      });
      if (!heedsSignal) return;
      if (signal.aborted) stop();
      else signal.addEventListener('abort', stop, { once: true });
    });
  }

  /** A dead process does nothing more, although its promises settle. */
  async #whileAlive(): Promise<void> {
    if (!this.#run.node.isAlive) await new Promise(() => {});
  }
}
