/** A language model whose calls are steps: a call that was recorded is not made again after a crash. */
import * as ai from 'ai';
import type { LanguageModel } from 'ai';
import { A2AError } from '../index.ts';
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
  readonly error?: unknown;
}

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
 * yield* textOf(streamText({ model: durable(model, ctx), prompt: ctx.text, abortSignal: ctx.signal }));
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
  const call = new ModelCall();
  try {
    const work = async (signal: AbortSignal): Promise<unknown> =>
      toRecord(await model.doGenerate(withSignal(options, signal)), LEFT_OUT);
    return fromRecord(await step(name, ({ signal }) => call.run(signal, () => work(signal)), STREAMED)) as never;
  } catch (error) {
    throw call.thrown(error);
  }
}

type PackedParts = readonly (StreamPart | PackedDeltas)[];

async function stream(
  model: AnyModel,
  options: CallOptions,
  { step }: Pick<TaskContext, 'step'>,
  name: string,
): Promise<StreamResult> {
  const opened = deferred<StreamResult>();
  const call = new ModelCall();
  let live: LiveParts | undefined;
  const work = async (signal: AbortSignal): Promise<{ readonly parts: unknown }> => {
    const { stream: given, ...more } = await model.doStream(withSignal(options, signal));
    live = new LiveParts(signal);
    opened.resolve({ ...more, stream: live.stream });
    const all = await live.passOn(given);
    const parts = toRecord(packed(all.map(withoutError)), LEFT_OUT);
    const failed = all.find(({ type }) => type === 'error');
    if (failed !== undefined) throw new StreamFailure(failed.error, parts);
    return { parts };
  };
  const recording = step(name, ({ signal }) => call.run(signal, () => work(signal)), STREAMED) as Promise<{
    readonly parts: PackedParts;
  }>;
  const settle = async (): Promise<void> => {
    try {
      const { parts } = await recording;
      if (live === undefined) opened.resolve({ stream: streamOf(unpacked(fromRecord(parts))) });
      else live.end();
    } catch (error) {
      const parts = failureOf(error)?.parts;
      if (parts === undefined) {
        live?.fail(error);
        opened.reject(call.thrown(error));
      } else if (live === undefined) {
        opened.resolve({ stream: streamOf(unpacked(fromRecord(parts)).map(withError)) });
      } else {
        live.end();
      }
    }
  };
  void settle();
  return opened.promise;
}

/**
 * Makes an error of the provider the error of the step, with what a replay needs to take the same way: the AI SDK decides by the
 * error whether it calls the model again.
 */
class ModelCall {
  #thrown: { readonly error: unknown } | undefined;

  async run<T>(signal: AbortSignal, call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      // The error of a run that was stopped is not the outcome of the call.
      if (signal.aborted) throw error;
      this.#thrown = { error };
      throw recordable(error);
    }
  }

  /** The error as the provider threw it, or as it was recorded. */
  thrown(error: unknown): unknown {
    const failure = failureOf(error);
    if (failure === undefined) return error;
    return this.#thrown === undefined ? restored(failure) : this.#thrown.error;
  }
}

/** The stream of a model has a part with an error. */
class StreamFailure extends Error {
  readonly parts: unknown;

  constructor(error: unknown, parts: unknown) {
    super('The stream of the model has an error', { cause: error });
    this.parts = parts;
  }
}

interface Failure {
  readonly name: string;
  readonly message: string;
  /** Set for an error of the provider's HTTP API. */
  readonly api?: { readonly url: string; readonly statusCode?: number; readonly isRetryable: boolean };
  /** The parts of the stream, if the error is one of them. */
  readonly parts?: PackedParts;
}

/** The name of the detail with the failure, in the only kind of error whose details are recorded. */
const FAILURE = 'modelFailure';

function recordable(thrown: unknown): A2AError {
  const failure: Failure =
    thrown instanceof StreamFailure
      ? { ...describe(thrown.cause), parts: thrown.parts as PackedParts }
      : describe(thrown);
  const { name, message } = failure;
  const text = name === 'Error' ? message : `${name}: ${message}`;
  return new A2AError('INTERNAL_ERROR', text, { details: { [FAILURE]: JSON.stringify(failure) } });
}

function failureOf(error: unknown): Failure | undefined {
  const detail = A2AError.is(error) ? error.details[FAILURE] : undefined;
  return detail === undefined ? undefined : (JSON.parse(detail) as Failure);
}

function describe(error: unknown): Failure {
  const { name, message } = error instanceof Error ? error : new Error(messageOf(error));
  if (!ai.APICallError.isInstance(error)) return { name, message };
  const { url, statusCode, isRetryable } = error;
  return { name, message, api: { url, isRetryable, ...(statusCode !== undefined && { statusCode }) } };
}

/** Errors in streams are often plain objects. */
function messageOf(error: unknown): string {
  return typeof error === 'object' && error !== null ? JSON.stringify(error) : String(error);
}

function restored({ name, message, api }: Failure): Error {
  if (api !== undefined) return new ai.APICallError({ message, requestBodyValues: {}, ...api });
  return Object.assign(new Error(message), { name });
}

function withoutError(part: StreamPart): StreamPart {
  return part.type === 'error' ? { type: 'error', error: describe(part.error) } : part;
}

function withError(part: StreamPart): StreamPart {
  return part.type === 'error' ? { type: 'error', error: restored(part.error as Failure) } : part;
}

function withSignal(options: CallOptions, signal: AbortSignal): CallOptions {
  const { abortSignal } = options;
  return { ...options, abortSignal: abortSignal === undefined ? signal : AbortSignal.any([abortSignal, signal]) };
}

/** A crash may change what the model does, so these parts are not passed on before they are recorded. */
const HELD = new Set(['tool-call', 'error', 'finish']);

/** The parts of a stream for the AI SDK, while the step records them. */
class LiveParts {
  readonly stream: ReadableStream<StreamPart>;
  #controller: ReadableStreamDefaultController<StreamPart> | undefined;
  #isCanceled = false;
  #isBroken = false;
  /** The parts that wait until the step is recorded: the first tool call or error, and everything after it. */
  readonly #held: StreamPart[] = [];
  readonly #signal: AbortSignal;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    this.stream = new ReadableStream({
      start: (controller) => {
        this.#controller = controller;
      },
      cancel: () => {
        this.#isCanceled = true;
      },
    });
  }

  /** Reads all parts of the model, and passes them on. An error of the stream is its last part. */
  async passOn(parts: ReadableStream<StreamPart>): Promise<readonly StreamPart[]> {
    const all: StreamPart[] = [];
    const reader = parts.getReader();
    for (;;) {
      const part = await this.#next(reader);
      if (part === undefined) return all;
      if (part.type !== 'raw') all.push(part);
      if (this.#held.length > 0 || HELD.has(part.type)) this.#held.push(part);
      else if (!this.#isCanceled) this.#controller?.enqueue(part);
    }
  }

  async #next(reader: ReadableStreamDefaultReader<StreamPart>): Promise<StreamPart | undefined> {
    if (this.#isBroken) return undefined;
    try {
      return (await reader.read()).value;
    } catch (error) {
      if (this.#signal.aborted) throw error;
      this.#isBroken = true;
      return { type: 'error', error };
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
  return parts.flatMap((part): StreamPart | readonly StreamPart[] => {
    if (!('deltas' in part)) return part;
    const { type, id, deltas } = part;
    return deltas.map((delta) => ({ type, id, delta }));
  });
}
