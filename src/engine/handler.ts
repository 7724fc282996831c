import type { JsonObject, Jsonify, JsonValue } from '../model/json.ts';
import type { StandardOutput, StandardSchema } from '../model/standard-schema.ts';
import type { Message } from '../model/message.ts';
import type { Part } from '../model/part.ts';
import type { Task } from '../model/task.ts';
import type { TraceHeaders } from '../observe/trace-context.ts';
import type { AnswerSchema, AnswerType } from '../model/answer-schema.ts';
import type { MakeCall, StartCall } from './calls/call.ts';
import type { Output, OutputContent, StatusOutput, WorkingStatus } from './output/output.ts';

/**
 * The function that an agent runs for a message: an async generator that yields outputs, or an async function that returns
 * one.
 *
 * After a crash the handler runs again from the top. Everything it did through `ctx` is recorded and is not repeated, so
 * code outside of steps must have no side effects.
 */
export type Handler = (ctx: TaskContext) => Outputs<HandlerResult> | Promise<HandlerResult> | HandlerResult;

/**
 * The outputs of a handler, and its result: an async generator, or another async iterable. It is not an `AsyncIterable`, which has no
 * type for the result before TypeScript 5.6.
 */
export interface Outputs<Result, Each = Output> {
  /** Returns the iterator that yields the outputs and returns the result. */
  [Symbol.asyncIterator](): AsyncIterator<Each, Result, undefined>;
}

/** The return value of a handler: a last output, or nothing. */
export type HandlerResult = Output | undefined | void;

/** The caller of a request. Its values come from the credentials of the request, never from its body. */
export interface Caller {
  /** Identifies the caller. Tasks belong to it: other callers cannot see them. */
  readonly id: string;
  /** Whether the caller has authenticated. `false` for anonymous callers. */
  readonly isVerified: boolean;
  /** The scopes that the credentials grant. */
  readonly scopes?: readonly string[];
  /** The tenants that the caller may use; any tenant if not set. Requests without a tenant are always allowed. */
  readonly tenants?: readonly string[];
  /** When the credentials expire, in milliseconds since 1970; never if not set. */
  readonly expiresAt?: number;
  /** The agents that act for the caller, if the request comes from one: the agent that sent it first, then the one that called it. */
  readonly actors?: readonly string[];
  /** Further claims of the credentials, such as those of a JWT. */
  readonly claims?: JsonObject;
}

/** A received message, with its text. */
export interface IncomingMessage extends Message {
  /** The text parts and the JSON of the data parts, in order, joined by newlines. Empty if there are none. */
  readonly text: string;
}

/** A file in a message. */
export interface IncomingFile {
  /** The name that the sender gave the file. */
  readonly filename?: string;
  /** The media type that the sender specified. It is not verified. */
  readonly mediaType?: string;
  /** The URL of the file; `undefined` if the file was sent inline. */
  readonly url?: string;
  /**
   * Returns the content. A file that was sent by URL is fetched; the server rejects private addresses and files above
   * `maxTaskBytes` (64 MiB by default).
   */
  bytes(): Promise<Uint8Array>;
}

/** Everything that a handler can use. All functions can be destructured: `async *run({ message, step }) { … }`. */
export interface TaskContext {
  /**
   * The message that started this turn: the first message of the task, or the one that continued it after
   * `yield { status: 'input-required' }`.
   */
  readonly message: IncomingMessage;
  /** The text of `message`. Empty if it has neither text nor data parts. */
  readonly text: string;
  /** The parts of `message`. */
  readonly parts: readonly Part[];
  /** The files in `message`, inline or by URL. */
  readonly files: readonly IncomingFile[];

  /** A copy of the task as it is now, with output that is not stored yet. */
  readonly task: Task;
  /** The id of the task. */
  readonly taskId: string;
  /** The id of the conversation that the task belongs to. Further tasks of the same conversation share it. */
  readonly contextId: string;
  /**
   * Returns the other tasks of this conversation that belong to the caller, the latest first. Returns at most 20 unless
   * `limit` is set.
   */
  history(options?: {
    /** The maximum number of tasks; 20 if not set. */
    readonly limit?: number;
  }): Promise<readonly Task[]>;

  /**
   * Returns the conversation so far, oldest turn first: the messages of the caller, and what the agent published in response. The
   * message that started this turn is the last one. Texts of progress (status `working`) are left out. Covers at most 20 earlier
   * tasks and 1 MiB; older turns are left out.
   *
   * @example
   * const messages = (await ctx.conversation()).map(({ role, text }) => ({
   *   role: role === 'user' ? 'user' : 'assistant',
   *   content: text,
   * }));
   */
  conversation(options?: {
    /** The maximum number of turns; 100 if not set. */
    readonly limit?: number;
  }): Promise<readonly ConversationTurn[]>;

  /** The caller that started the task. */
  readonly caller: Caller;
  /** The tenant of the request. Empty if it has none. */
  readonly tenant: string;
  /** The URIs of the extensions that the request activated. */
  readonly extensions: readonly string[];
  /** The metadata of the request; empty if it has none. */
  readonly metadata: JsonObject;
  /**
   * The skill that the message is addressed to, if it names one. The server has already checked that the caller may use it.
   */
  readonly skillId: string | undefined;
  /** The media types that the caller accepts; empty if it did not specify any. */
  readonly acceptedOutputModes: readonly string[];
  /**
   * The trace context of the run, as headers for outgoing requests: `fetch(url, { headers: ctx.trace })` or
   * `peer.send(text, ctx.trace)`. Empty if the request had no trace context.
   */
  readonly trace: TraceHeaders;

  /** Aborts on cancel, timeout, lost lease and shutdown. Pass it to everything that takes time. */
  readonly signal: AbortSignal;

  /**
   * Publishes a status. A string means `working` with that text. Resolves when there is room for more output.
   *
   * @example
   * await ctx.status('Searching…');
   */
  status(status: string | StatusOutput): Promise<void>;
  /**
   * Returns a writer for the artifact with this name. The chunks of an artifact are published in order.
   *
   * @example
   * await ctx.artifact('report.md').append('# Report\n');
   */
  artifact(name: string): ArtifactWriter;

  /**
   * Ends the run with a message instead of a task, unless the caller can already see the task. A generator can also
   * `yield { reply: 'Hello' }`.
   */
  reply(content: string | OutputContent): undefined;
  /** Ends the task as rejected, with an optional reason for the caller. */
  reject(reason?: string | OutputContent): undefined;

  /**
   * Checks that the caller may use a skill of the agent, including hidden skills. If not, the task ends as rejected. For
   * handlers that choose the skill themselves.
   *
   * @throws A2AError `PERMISSION_DENIED`. Output that the handler publishes after it is ignored.
   */
  requireSkill(id: string): void;

  /**
   * Asks the caller a question and waits for the answer. The question survives restarts, and the run holds neither a slot
   * nor a lease while it waits. A question expires after `timeoutMs` (7 days by default).
   *
   * @throws QuestionExpiredError if the question is not answered in time.
   * @throws QuestionCanceledError if the agent has `onUnfitAnswer: 'cancel-question'` and the caller sends another message
   * instead.
   *
   * @example
   * const city = await ctx.ask('Which city?');
   * const sure = await ctx.ask({ confirm: 'Delete everything?' });
   * const size = await ctx.ask({ choose: 'Which size?', options: ['S', 'M', 'L'] });
   * const form = await ctx.ask({ form: 'Where to?', fields: { street: { type: 'string' } } });
   * const [from, to] = await Promise.all([ctx.ask('From?'), ctx.ask('To?')]); // the caller may answer either of them first
   */
  readonly ask: Ask;
  /**
   * Asks for credentials or consent and waits for them, as `ask` does. The credential arrives through
   * `handler.authorize()`, or in a message with a part that is marked as sensitive. Other messages go to the inbox.
   *
   * The credential is kept out of the history and deleted when the task ends. It is not verified: the handler must check
   * it.
   *
   * @throws QuestionExpiredError if no credential arrives in time.
   */
  authorize(request: string | AuthorizationRequest, options?: AuthorizeOptions): Promise<string>;

  /** Messages that arrive while the handler runs and that do not answer a question. */
  readonly inbox: Inbox;

  /**
   * Runs a function once and records its result or its error. After a crash the recorded result is returned, and the
   * function is not called again. The result must be JSON of at most `maxOutputBytes` (8 MiB by default).
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

  /** Waits for a time. The timer survives restarts, and the run holds neither a slot nor a lease while it waits. */
  sleep(ms: number): Promise<void>;

  /**
   * Calls another agent and waits for its result: an agent of the same host by its id, or a configured peer. The call is recorded
   * before it is made, is made once, and survives restarts of both sides. While the handler only waits, the run holds neither a slot
   * nor a lease. A question of the called agent becomes a question of this task.
   *
   * @throws CallError unless the call completes.
   *
   * @example
   * const { text } = await ctx.call('analytics', 'How many signups last week?');
   * const [mail, crm] = await Promise.all([ctx.call('mail', 'Any complaints?'), ctx.call('crm', { data: { id: 7 } }, { skill: 'account' })]);
   */
  readonly call: MakeCall;
  /** Records a call without waiting for its result. Resolves when it is stored. */
  readonly startCall: StartCall;
}

/** A turn of `ctx.conversation()`: a message of the caller, or what the agent published in response. */
export interface ConversationTurn {
  /** Whether the caller or the agent wrote it. */
  readonly role: 'user' | 'agent';
  /**
   * The text parts and the JSON of the data parts, joined by newlines. Empty if there are none. For a boolean, as callers answer a yes-or-no
   * question, it is `yes` or `no`.
   */
  readonly text: string;
  /** The parts, files included. Parts that were marked as sensitive are left out. */
  readonly parts: readonly Part[];
  /** The id of the task that the turn belongs to. */
  readonly taskId: string;
}

/** Publishes the chunks of one artifact. */
export interface ArtifactWriter {
  /** Adds a chunk. Resolves when there is room for more output. */
  append(content: string | OutputContent, options?: ChunkOptions): Promise<void>;
  /** Replaces the whole content of the artifact. Resolves when there is room for more output. */
  replace(content: string | OutputContent, options?: ChunkOptions): Promise<void>;
}

/** Options of one chunk of an artifact. */
export interface ChunkOptions {
  /** Whether this is the last chunk of the artifact. */
  readonly lastChunk?: boolean;
  /** A description of the artifact. A later one replaces it. */
  readonly description?: string;
  /** Metadata of the artifact, merged with that of earlier chunks: an object that has a JSON form. */
  readonly metadata?: object;
}

/**
 * The signatures of `ctx.ask`. The kind of the question determines the type of the answer.
 *
 * Their order matters, because the compiler explains a mistake by the last signature with this number of arguments: mistakes in a
 * question by the second one, and in options by the third, which has them all.
 */
export interface Ask {
  <const S extends AnswerSchema | StandardSchema | undefined = undefined>(
    question: string,
    options?: AskValueOptions & {
      /** The schema that the answer must match. */
      readonly schema?: S;
    },
  ): Promise<TextAnswer<S>>;
  <
    Text extends string = never,
    const Id extends string = never,
    const F extends FormFields = never,
    const R extends Extract<keyof F, string> = Extract<keyof F, string>,
  >(
    question: ConfirmQuestion<Text> | ChooseQuestion<Id> | FormQuestion<F, R>,
    options?: AskValueOptions,
  ): Promise<NoInfer<KindAnswer<Text, Id, F, R>>>;
  (
    question: Question,
    options: AskOptions & {
      /** Returns the whole message that answers the question. */
      readonly as: 'message';
    },
  ): Promise<IncomingMessage>;
}

/** The answer to a question that is a string: a text, or the output of its schema. */
type TextAnswer<S> = S extends StandardSchema ? StandardOutput<S> : S extends AnswerSchema ? AnswerOf<S> : string;

/**
 * The answer to a question of one kind. Of the other kinds nothing is inferred: their types are `never`. `NoInfer` keeps it so if the
 * caller has a type for the answer, as in `const isSure: boolean = await ask({ confirm: 'Sure?' })`.
 */
type KindAnswer<Text, Id, F extends FormFields, R extends string> =
  | ([Text] extends [never] ? never : boolean)
  | Id
  | ([F] extends [never] ? never : FormAnswer<F, R>);

/** The fields of a form, by name. */
export type FormFields = Readonly<Record<string, AnswerSchema>>;

/** The answer to a form: an object with a value for each required field, and perhaps for the others. */
export type FormAnswer<F extends FormFields, Required extends string> = {
  readonly [K in Extract<keyof F, Required>]: AnswerOf<F[K]>;
} & {
  readonly [K in Exclude<keyof F, Required>]?: AnswerOf<F[K]>;
};

/** The type of an answer that matches a schema. A schema whose type is unknown to the compiler gives `JsonValue`. */
export type AnswerOf<S extends AnswerSchema> = S extends { readonly const: infer C extends JsonValue }
  ? C
  : S extends { readonly enum: readonly (infer E extends JsonValue)[] }
    ? E
    : S extends { readonly type: infer T extends AnswerType }
      ? AnswerOfType<S, T>
      : JsonValue;

/** The type of an answer, by the `type` of its schema. */
type AnswerOfType<S extends AnswerSchema, T extends AnswerType> = AnswerType extends T
  ? JsonValue
  : T extends 'string'
    ? string
    : T extends 'number' | 'integer'
      ? number
      : T extends 'boolean'
        ? boolean
        : T extends 'null'
          ? null
          : T extends 'array'
            ? readonly (S extends { readonly items: infer I extends AnswerSchema } ? AnswerOf<I> : JsonValue)[]
            : S extends { readonly properties: infer P extends FormFields }
              ? FormAnswer<P, S extends { readonly required: readonly (infer R extends string)[] } ? R : never>
              : JsonObject;

/** A yes/no question. The answer is a boolean. */
export interface ConfirmQuestion<Text extends string = string> {
  /** The text of the question. */
  readonly confirm: Text;
}

/** A question with a fixed list of options. The answer is the id of the chosen option. */
export interface ChooseQuestion<Id extends string = string> {
  /** The text of the question. */
  readonly choose: string;
  /** The options, at least one. A string is both the id and the label of its option. */
  readonly options: readonly (Id | ChooseOption<Id>)[];
}

/** An option of a `ChooseQuestion`. */
export interface ChooseOption<Id extends string = string> {
  /** The value that `ask` returns. */
  readonly id: Id;
  /** The text that the caller sees. */
  readonly label: string;
}

/** A question with several fields. The answer is an object with a value per field. Further fields of an answer are not checked. */
export interface FormQuestion<F extends FormFields = FormFields, Required extends string = string> {
  /** The text of the question. */
  readonly form: string;
  /** The schema of each field, by name. */
  readonly fields: F;
  /** The fields that must be answered; all of them if not set. */
  readonly required?: readonly Required[];
}

/** A question for `ctx.ask`. A string asks for free text. */
export type Question = string | ConfirmQuestion | ChooseQuestion | FormQuestion;

/** Options of `ctx.ask`. */
export interface AskOptions {
  /**
   * The schema of the answer: the subset of JSON Schema that forms can show, or a schema of zod, valibot or another library with the
   * Standard Schema interface. The server rejects other answers with `INVALID_PARAMS`, and the question stays open.
   */
  readonly schema?: AnswerSchema | StandardSchema;
  /** How long the question stays open, in milliseconds; `questionTtlMs` of the agent (7 days by default) if not set. */
  readonly timeoutMs?: number;
  /** Whether to keep the answer out of the history and delete it when the task ends. */
  readonly sensitive?: boolean;
  /** Returns the whole message with its files instead of its text. */
  readonly as?: 'message';
  /** The earlier text of a reworded question. A question that was asked with that text stays open, and its answer is used. */
  readonly was?: string;
}

/** Options of `ctx.ask` if it returns the value of the answer. */
export interface AskValueOptions extends Pick<AskOptions, 'timeoutMs' | 'sensitive' | 'was'> {
  /** Not set: the value is returned, and not the message. */
  readonly as?: undefined;
}

/** Options of `ctx.authorize`. `sensitive` is `true` if not set. */
export interface AuthorizeOptions extends Pick<AskOptions, 'timeoutMs' | 'sensitive' | 'was'> {
  /**
   * Whether the next message of the caller is the credential, even if no part is marked as sensitive. Set it only if the
   * caller knows this. While other questions are open, the message must name this one.
   */
  readonly inBand?: boolean;
}

/** A request for credentials or consent. */
export interface AuthorizationRequest {
  /** The text that the caller sees. */
  readonly text: string;
  /** The URL at which the caller can give consent. */
  readonly url?: string;
  /** The scopes that the agent needs. */
  readonly scopes?: readonly string[];
}

/** The inbox of a running handler. Iterating waits for the next message and ends with the run. */
export interface Inbox extends AsyncIterable<IncomingMessage> {
  /** Returns the unread messages without waiting. Each message is returned once. */
  take(): Promise<readonly IncomingMessage[]>;
}

/** The signatures of `step`. */
export interface Step {
  <R>(name: string, run: (step: StepContext) => R, options?: StepOptions): Promise<Jsonify<StepResult<R>>>;
  /** With an explicit result type: `step<Order>('load', () => load(id))`. */
  <T>(name: string, run: (step: StepContext) => T | Promise<T>, options?: StepOptions): Promise<Jsonify<T>>;
}

/**
 * The result type of a step: the value that its function returns or resolves with, or the return value of its generator.
 */
export type StepResult<R> = R extends AsyncGenerator<infer _Output, infer T, never> ? T : Awaited<R>;

/** The argument of the function of a step. All functions can be destructured. */
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

/** Options of `step`. */
export interface StepOptions {
  /** How often to retry after the first failure; 0 if not set. */
  readonly retries?: number;
  /** The pause before the first retry, in milliseconds; 200 if not set. It doubles with each retry, up to 60,000. */
  readonly backoffMs?: number;
  /**
   * The earlier name of a renamed step. A result that was recorded under that name is used, and the step does not run again. The
   * `idempotencyKey` stays that of the earlier name.
   */
  readonly was?: string;
  /**
   * Which outputs of the handler, published while the function of the step runs, the handler publishes again from the recorded result:
   * `'all'`, or `'yields'` for those that it yields. Set it if the handler streams what the function produces. Outputs through the context
   * of the step are not meant. If not set, the outputs may belong to the step: they are kept when the result comes from the record.
   */
  readonly repeats?: 'all' | 'yields';
}

/**
 * Thrown by `ctx.ask` if the caller sends another message instead of an answer and `onUnfitAnswer` is `'cancel-question'`.
 * The message is in `ctx.inbox`. If the handler does not catch it, the task fails.
 */
export class QuestionCanceledError extends Error {
  override readonly name = 'QuestionCanceledError';
}

/** Thrown by `ctx.ask` and `ctx.authorize` if the question expires. If the handler does not catch it, the task fails. */
export class QuestionExpiredError extends Error {
  override readonly name = 'QuestionExpiredError';
  /** How long the question was open, in milliseconds; `undefined` for questions that an older version recorded. */
  readonly timeoutMs: number | undefined;

  /** Creates an error for a question that was open for `timeoutMs` milliseconds. */
  constructor(message: string, timeoutMs?: number) {
    super(message);
    this.timeoutMs = timeoutMs;
  }
}
