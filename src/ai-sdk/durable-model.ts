/** A language model whose calls are steps: a call that was recorded is not made again after a crash. */
import * as ai from 'ai';
import type { LanguageModel } from 'ai';
import type { StepOptions, TaskContext } from '../server/index.ts';
import { deferred } from '../support/deferred.ts';
import { fromRecord, toRecord } from './record.ts';

/** A model object of the AI SDK, of any version of its interface. */
export type ModelObject = Exclude<LanguageModel, string>;

/** Options of `durable()`. */
export interface DurableOptions {
  /** The name of the steps. Default: `model`. */
  readonly name?: string;
}

/** The members that the models of all interface versions share. */
interface AnyModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  readonly supportedUrls: unknown;
  doGenerate(options: CallOptions): PromiseLike<Readonly<Record<string, unknown>>>;
  doStream(options: CallOptions): PromiseLike<StreamResult>;
}

interface CallOptions {
  readonly abortSignal?: AbortSignal;
}

interface StreamResult {
  readonly stream: ReadableStream<StreamPart>;
  readonly [member: string]: unknown;
}

interface StreamPart {
  readonly type: string;
  readonly id?: string;
  readonly delta?: string;
}

/** The record of a model call: its result, or the error with which the provider rejected it. */
type Recorded<T> = { readonly result: T } | { readonly failure: unknown };

/** The handler publishes what the model writes, while the call runs, and again from its record. */
const STREAMED: StepOptions = { repeats: 'all' };

/** Large, and of no use to a replay. */
const LEFT_OUT = new Set(['request', 'body', 'headers']);

/**
 * Makes each call of a model a step of the task. A call that was recorded is not made again after a crash, a deploy or a pause: the
 * model appears to respond with the recorded result. Text is streamed while the model generates it. Tool calls are passed on once the
 * call is recorded, so that no tool runs for a call that a crash could change.
 *
 * @example
 * const { textStream } = streamText({ model: durable(model, ctx), prompt: ctx.text, abortSignal: ctx.signal });
 */
export function durable(
  model: LanguageModel,
  ctx: Pick<TaskContext, 'step'>,
  { name = 'model' }: DurableOptions = {},
): ModelObject {
  const inner = modelObject(model) as unknown as AnyModel;
  const wrapped: AnyModel = {
    specificationVersion: inner.specificationVersion,
    provider: inner.provider,
    modelId: inner.modelId,
    get supportedUrls() {
      return inner.supportedUrls;
    },
    doGenerate: (options) => generate(inner, options, ctx, name),
    doStream: (options) => stream(inner, options, ctx, name),
  };
  return wrapped as unknown as ModelObject;
}

/** The model that an id such as `openai/gpt-5` stands for: the AI SDK resolves ids in the same way. */
function modelObject(model: LanguageModel): ModelObject {
  if (typeof model !== 'string') return model;
  const provider = Reflect.get(globalThis, 'AI_SDK_DEFAULT_PROVIDER') as typeof ai.gateway | undefined;
  return (provider ?? ai.gateway).languageModel(model);
}

async function generate(
  model: AnyModel,
  options: CallOptions,
  { step }: Pick<TaskContext, 'step'>,
  name: string,
): Promise<Readonly<Record<string, unknown>>> {
  let thrown: unknown;
  const recorded = (await step(
    name,
    ({ signal }) =>
      outcome(
        signal,
        async () => toRecord(await model.doGenerate(withSignal(options, signal)), LEFT_OUT),
        (error) => {
          thrown = error;
        },
      ),
    STREAMED,
  )) as Recorded<never>;
  return fromRecord(resultOf(recorded, thrown));
}

async function stream(
  model: AnyModel,
  options: CallOptions,
  { step }: Pick<TaskContext, 'step'>,
  name: string,
): Promise<StreamResult> {
  const opened = deferred<StreamResult>();
  let thrown: unknown;
  let live: LiveParts | undefined;
  const recording = step(
    name,
    ({ signal }) =>
      outcome(
        signal,
        async () => {
          const { stream: parts, ...more } = await model.doStream(withSignal(options, signal));
          live = new LiveParts();
          opened.resolve({ ...more, stream: live.stream });
          return { parts: toRecord(packed(await live.passOn(parts)), LEFT_OUT) };
        },
        (error) => {
          thrown = error;
        },
      ),
    STREAMED,
  ) as Promise<Recorded<{ readonly parts: readonly (StreamPart | PackedDeltas)[] }>>;
  const settle = async (): Promise<void> => {
    try {
      const recorded = await recording;
      if (live !== undefined && 'result' in recorded) return live.end();
      const { parts } = resultOf(recorded, thrown);
      opened.resolve({ stream: streamOf(unpacked(fromRecord(parts))) });
    } catch (error) {
      live?.fail(error);
      opened.reject(error);
    }
  };
  void settle();
  return opened.promise;
}

/**
 * Runs the call. An error of the provider is a value of the step, because a replay has to take the same way: the AI SDK decides by the
 * error whether it calls the model again. An error of a run that was stopped is not the outcome of the call.
 */
async function outcome<T>(
  signal: AbortSignal,
  call: () => Promise<T>,
  onError: (error: unknown) => void,
): Promise<Recorded<T>> {
  try {
    return { result: await call() };
  } catch (error) {
    if (signal.aborted) throw error;
    onError(error);
    return { failure: describe(error) };
  }
}

function resultOf<T>(recorded: Recorded<T>, thrown: unknown): T {
  if ('result' in recorded) return recorded.result;
  // oxlint-disable-next-line typescript/only-throw-error -- As the provider threw it.
  throw thrown ?? restored(recorded.failure as Failure);
}

interface Failure {
  readonly name: string;
  readonly message: string;
  /** Set for an error of the provider's HTTP API. */
  readonly api?: { readonly url: string; readonly statusCode?: number; readonly isRetryable: boolean };
}

function describe(error: unknown): Failure {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  if (!ai.APICallError.isInstance(error)) return { name, message };
  const { url, statusCode, isRetryable } = error;
  return { name, message, api: { url, isRetryable, ...(statusCode !== undefined && { statusCode }) } };
}

function restored({ name, message, api }: Failure): Error {
  if (api !== undefined) return new ai.APICallError({ message, requestBodyValues: {}, ...api });
  return Object.assign(new Error(message), { name });
}

function withSignal(options: CallOptions, signal: AbortSignal): CallOptions {
  const { abortSignal } = options;
  return { ...options, abortSignal: abortSignal === undefined ? signal : AbortSignal.any([abortSignal, signal]) };
}

/** The parts of a stream for the AI SDK, while the step records them. */
class LiveParts {
  readonly stream: ReadableStream<StreamPart>;
  #controller: ReadableStreamDefaultController<StreamPart> | undefined;
  #isCanceled = false;
  /** The parts that wait until the step is recorded: the first tool call, and everything after it. */
  readonly #held: StreamPart[] = [];

  constructor() {
    this.stream = new ReadableStream({
      start: (controller) => {
        this.#controller = controller;
      },
      cancel: () => {
        this.#isCanceled = true;
      },
    });
  }

  /** Reads all parts of the model, and passes them on. */
  async passOn(parts: ReadableStream<StreamPart>): Promise<readonly StreamPart[]> {
    const all: StreamPart[] = [];
    const reader = parts.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return all;
      if (value.type !== 'raw') all.push(value);
      if (this.#held.length > 0 || value.type === 'tool-call' || value.type === 'finish') this.#held.push(value);
      else if (!this.#isCanceled) this.#controller?.enqueue(value);
    }
  }

  end(): void {
    if (this.#isCanceled) return;
    for (const part of this.#held) this.#controller?.enqueue(part);
    this.#controller?.close();
  }

  fail(error: unknown): void {
    if (!this.#isCanceled) this.#controller?.error(error);
  }
}

function streamOf(parts: readonly StreamPart[]): ReadableStream<StreamPart> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
}

/** Adjacent deltas of one block as one entry, because a model sends thousands of them. */
interface PackedDeltas {
  readonly type: string;
  readonly id: string;
  readonly deltas: string[];
}

function packed(parts: readonly StreamPart[]): readonly (StreamPart | PackedDeltas)[] {
  const result: (StreamPart | PackedDeltas)[] = [];
  for (const part of parts) {
    const last = result.at(-1);
    const { type, id, delta, ...more } = part;
    if (id === undefined || delta === undefined || Object.values(more).some((one) => one !== undefined))
      result.push(part);
    else if (last !== undefined && 'deltas' in last && last.type === type && last.id === id) last.deltas.push(delta);
    else result.push({ type, id, deltas: [delta] });
  }
  return result;
}

function unpacked(parts: readonly (StreamPart | PackedDeltas)[]): readonly StreamPart[] {
  return parts.flatMap((part) => {
    if (!('deltas' in part)) return part;
    const { type, id, deltas } = part;
    return deltas.map((delta) => ({ type, id, delta }));
  });
}
