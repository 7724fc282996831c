import type { JsonObject, JsonValue } from '../model/json.ts';
import type { Message } from '../model/message.ts';
import type { Part } from '../model/part.ts';
import type { Task } from '../model/task.ts';
import type { TraceHeaders } from '../observe/trace-context.ts';
import type { AnswerSchema } from './answer-schema.ts';
import type { Output, OutputContent, StatusOutput, WorkingStatus } from './output.ts';

/**
 * What an agent does with a message: an async generator that yields its outputs, or an async function that returns one.
 * After a crash it is run again from the top; what it did through `ctx` is remembered and not done twice.
 */
export type Handler = (
  ctx: TaskContext,
) => AsyncIterable<Output, HandlerResult> | Promise<HandlerResult> | HandlerResult;

/** What a handler may return: a last output, or nothing. */
export type HandlerResult = Output | undefined | void;

/** Who asks. Comes from the credentials of a request, never from its body. */
export interface Caller {
  readonly id: string;
  /** Known by credentials, and not only by having asked. */
  readonly isVerified: boolean;
  /** What the credentials allow. */
  readonly scopes?: readonly string[];
  /** The tenants it may call for; any if not set. What belongs to no tenant is always its own. */
  readonly tenants?: readonly string[];
  /** When the credentials end, in milliseconds since 1970; never if not set. */
  readonly expiresAt?: number;
  /** What else the credentials say. */
  readonly claims?: JsonObject;
}

/** A message that came in, with its text at hand. */
export interface IncomingMessage extends Message {
  /** The text parts and the JSON of the data parts, in order, a line each. Empty if there are none. */
  readonly text: string;
}

/** A file that came with a message. */
export interface IncomingFile {
  readonly filename?: string;
  readonly mediaType?: string;
  /** Where it lies, unless it came inline. */
  readonly url?: string;
  /** The content: inline, or fetched with all the guards that a stranger's address needs. */
  bytes(): Promise<Uint8Array>;
}

/**
 * Everything a handler has. All functions may be taken off: `async *run({ message, step }) { … }`.
 */
export interface TaskContext {
  /** The request: the first message, or the one that went on after `yield { status: 'input-required' }`. */
  readonly message: IncomingMessage;
  readonly text: string;
  readonly parts: readonly Part[];
  readonly files: readonly IncomingFile[];

  /** The task as it is now. */
  readonly task: Task;
  readonly taskId: string;
  readonly contextId: string;
  /** The other tasks that the caller gave this agent in this context, the latest first. */
  history(options?: { readonly limit?: number }): Promise<readonly Task[]>;

  readonly caller: Caller;
  readonly tenant: string;
  /** The extensions that the request activated. */
  readonly extensions: readonly string[];
  /** What the request said about itself. */
  readonly metadata: JsonObject;
  /** The skill that the message is meant for, if it names one; the caller may use it. */
  readonly skillId: string | undefined;
  /** The media types that the caller can take; empty if it did not say. */
  readonly acceptedOutputModes: readonly string[];
  /**
   * Where in a trace the run is, as headers to send with whatever it asks of others: `fetch(url, { headers: ctx.trace })`,
   * `peer.send(text, ctx.trace)`. Empty if the request was in none.
   */
  readonly trace: TraceHeaders;

  /** Aborts on cancel, timeout, lost lease and shutdown. Whatever takes time should listen to it. */
  readonly signal: AbortSignal;

  /** Says how it goes; a text alone means `working`. Resolves when there is room for more. */
  status(status: string | StatusOutput): Promise<void>;
  /** A result in the making. Each name is one artifact, whose pieces arrive in order. */
  artifact(name: string): ArtifactWriter;

  /**
   * Ends with a bare message: no task is made of it, unless one is known to the caller already. Generators can also
   * `yield { reply: 'Hello' }`.
   */
  reply(content: string | OutputContent): undefined;
  /** Ends by declining the request. */
  reject(reason?: string | OutputContent): undefined;

  /**
   * Goes on if the caller may use a skill of the agent, a hidden one too; otherwise the task ends as rejected. For handlers
   * that choose by themselves what a message is about.
   *
   * @throws A2AError `PERMISSION_DENIED`, after which nothing that the handler says counts.
   */
  requireSkill(id: string): void;

  /**
   * Asks the caller and waits for the answer, for days if need be: the question survives restarts, and the run holds
   * nothing while it waits. Rejects with a `QuestionExpiredError` if nobody answers in time.
   *
   * @example
   * const city = await ctx.ask('Which city?');
   * const sure = await ctx.ask({ confirm: 'Delete everything?' });
   * const size = await ctx.ask({ choose: 'Which size?', options: ['S', 'M', 'L'] });
   * const form = await ctx.ask({ form: 'Where to?', fields: { street: { type: 'string' } } });
   */
  readonly ask: Ask;
  /**
   * Asks for credentials or consent and waits for them, as `ask` does. They come by another way, and are given with
   * `handler.authorize()`; or in a message with a part that is marked as sensitive. Any other message is only something
   * that the caller has to say, and in the inbox. What it gives is kept out of the history and forgotten at the end of the
   * task; whether it is any good is for the handler to find out.
   */
  authorize(request: string | AuthorizationRequest, options?: AuthorizeOptions): Promise<string>;

  /** Messages that arrive while the handler runs. */
  readonly inbox: Inbox;

  /**
   * Runs a function once and records its result, or that it failed. After a crash the recorded result is returned and
   * the function is not called again.
   *
   * The function can publish output while it runs, through `status` and `artifact` of its own context or by being an async
   * generator. That output belongs to the step: once the step is recorded, a replay keeps it.
   *
   * @example
   * const receipt = await step('pay', ({ idempotencyKey }) => pay(order, { idempotencyKey }), { retries: 3 });
   * const answer = await step('model', async function* ({ signal }) {
   *   let text = '';
   *   for await (const chunk of stream(prompt, { signal })) {
   *     text += chunk;
   *     yield chunk;
   *   }
   *   return text;
   * });
   */
  readonly step: Step;

  /** Waits, over restarts too, and holds nothing meanwhile. */
  sleep(ms: number): Promise<void>;
}

export interface ArtifactWriter {
  /** Adds a piece. Resolves when there is room for more. */
  append(content: string | OutputContent, options?: ChunkOptions): Promise<void>;
  /** Puts this in the place of all that was there. */
  replace(content: string | OutputContent, options?: ChunkOptions): Promise<void>;
}

export interface ChunkOptions {
  /** No more will follow. */
  readonly lastChunk?: boolean;
  readonly description?: string;
  readonly metadata?: JsonObject;
}

export interface Ask {
  (question: Question, options: AskOptions & { readonly as: 'message' }): Promise<IncomingMessage>;
  (question: string, options: AskOptions & { readonly schema: AnswerSchema }): Promise<JsonValue>;
  (question: string, options?: AskOptions): Promise<string>;
  (question: ConfirmQuestion, options?: AskOptions): Promise<boolean>;
  (question: ChooseQuestion, options?: AskOptions): Promise<string>;
  (question: FormQuestion, options?: AskOptions): Promise<JsonObject>;
}

export interface ConfirmQuestion {
  readonly confirm: string;
}

export interface ChooseQuestion {
  readonly choose: string;
  readonly options: readonly (string | ChooseOption)[];
}

export interface ChooseOption {
  /** What the handler gets. */
  readonly id: string;
  /** What the caller reads. */
  readonly label: string;
}

export interface FormQuestion {
  readonly form: string;
  /** The fields by name. All are required unless `required` names some. */
  readonly fields: Readonly<Record<string, AnswerSchema>>;
  readonly required?: readonly string[];
}

export type Question = string | ConfirmQuestion | ChooseQuestion | FormQuestion;

export interface AskOptions {
  /** What the answer must look like. Another one is refused, and the question stays open. */
  readonly schema?: AnswerSchema;
  readonly timeoutMs?: number;
  /** The answer is kept out of the history, and forgotten when the task ends. */
  readonly sensitive?: boolean;
  /** Gives the whole message, with its files, instead of its text. */
  readonly as?: 'message';
}

export interface AuthorizeOptions extends Pick<AskOptions, 'timeoutMs' | 'sensitive'> {
  /** The next message of the caller is the credential, whatever it says: only if he was told so by other means. */
  readonly inBand?: boolean;
}

export interface AuthorizationRequest {
  readonly text: string;
  /** Where the caller can give consent. */
  readonly url?: string;
  readonly scopes?: readonly string[];
}

export interface Inbox extends AsyncIterable<IncomingMessage> {
  /** What has arrived and was not read yet; does not wait. */
  take(): Promise<readonly IncomingMessage[]>;
}

export interface Step {
  <R>(name: string, run: (step: StepContext) => R, options?: StepOptions): Promise<StepResult<R>>;
  /** With the type of the result given: `step<Order>('load', () => load(id))`. */
  <T>(name: string, run: (step: StepContext) => T | Promise<T>, options?: StepOptions): Promise<T>;
}

/** What a step returns: what its function returns, or resolves with, or returns at the end as a generator. */
export type StepResult<R> = R extends AsyncGenerator<infer _Output, infer T, never> ? T : Awaited<R>;

/** What the function of a step gets. All functions may be destructured. */
export interface StepContext {
  /** The same for every attempt at this step, and different for every other step. */
  readonly idempotencyKey: string;
  /** 1 for the first attempt, then 2, 3 … for retries. */
  readonly attempt: number;
  /** Aborts when `ctx.signal` does. */
  readonly signal: AbortSignal;
  /** Publishes a `working` status that belongs to this step. Resolves when there is room for more output. */
  status(status: string | WorkingStatus): Promise<void>;
  /** Publishes chunks of an artifact that belong to this step. */
  artifact(name: string): ArtifactWriter;
  /** Runs a step inside this one. If this step is retried, recorded inner steps are not run again. */
  readonly step: Step;
}

export interface StepOptions {
  /** How often to try again after the first failure; 0 if not set. */
  readonly retries?: number;
  /** The pause before the first retry; each further one is twice as long. */
  readonly backoffMs?: number;
}

/**
 * The caller sent another message instead of an answer, and `onUnfitAnswer` is `'cancel-question'`. The message is in `ctx.inbox`.
 * A handler that does not catch it fails its task.
 */
export class QuestionCanceledError extends Error {
  override readonly name = 'QuestionCanceledError';
}

/** Nobody answered a question in time. A handler that does not catch it fails its task. */
export class QuestionExpiredError extends Error {
  override readonly name = 'QuestionExpiredError';
  /** How long there was for an answer, if that is known. */
  readonly timeoutMs: number | undefined;

  constructor(message: string, timeoutMs?: number) {
    super(message);
    this.timeoutMs = timeoutMs;
  }
}
