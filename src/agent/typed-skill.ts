/** Skills with a typed input, their own handler and perhaps a typed output. */
import type { AnswerOf, HandlerResult, Outputs, TaskContext } from '../engine/handler.ts';
import type { AnswerSchema } from '../model/answer-schema.ts';
import type { JsonInput, JsonObject, Jsonify, JsonValue } from '../model/json.ts';
import type { SkillTypes } from '../model/skills.ts';
import type { StandardInput, StandardOutput, StandardSchema } from '../model/standard-schema.ts';
import type { SkillSchema } from './skill-handler.ts';
import type { SkillOptions } from './skills.ts';

/** The context of a typed skill: that of every handler, and the input. */
export interface SkillContext<Input = unknown> extends TaskContext {
  /** The validated input. */
  readonly input: Input;
}

/** Options of `skill()`. */
export interface TypedSkillOptions<
  I extends SkillSchema,
  O extends SkillSchema | undefined,
  Id extends string = string,
  P extends Primitive = never,
> extends Omit<SkillOptions, 'name'> {
  /** The name of the skill in messages. */
  readonly id: Id;
  /** The display name. Default: the id in words, such as `Run query` for `run-query`. */
  readonly name?: string;
  /** The schema of the input: the data part of a message that names the skill. */
  readonly input: I;
  /** The schema of the output. With it, `run` must return the output, which becomes the artifact `result`. */
  readonly output?: O;
  /** Handles a message for the skill, as the `run` of an agent does, with the input in `ctx.input`. */
  readonly run: (ctx: SkillContext<ValueOf<I>>) => RunOf<Returned<O> | (Returned<O> & Literals<P>)>;
}

/** A generator of outputs, or a result. */
type RunOf<R> = Outputs<R> | Promise<R> | R;

/** The JSON values that have literal types. */
type Primitive = string | number | boolean;

/**
 * Objects and arrays in which the compiler keeps the literal types of what a handler returns, because it infers `P` from them. `Returned<O>`
 * alone gives it no literals to expect until `O` is known: it would widen `{ currency: 'EUR' }` to `{ currency: string }`, which an output
 * schema with the literal `'EUR'` does not accept. `[]` keeps tuples in the same way.
 */
type Literals<P extends Primitive> =
  | []
  | (P | Literals<P> | null)[]
  | { [name: string]: P | Literals<P> | null | undefined };

/** A skill made with `skill()`, for the option `skills` of `agent()`. Its types are for `client.skill<typeof …>()`. */
export interface TypedSkill<Input = unknown, Output = unknown, Id extends string = string>
  extends Omit<SkillOptions, 'name'>, SkillTypes<Input, Output, Id> {
  /** The name of the skill in messages. */
  readonly id: Id;
  /** The display name; derived from the id if not set. */
  readonly name?: string;
  /** The schema of the input. */
  readonly input: SkillSchema;
  /** The schema of the output, if the skill has one. */
  readonly output?: SkillSchema | undefined;
  /** The handler of the skill. */
  readonly run: (ctx: never) => unknown;
}

/** The value that a schema gives: for a handler, its input. */
type ValueOf<S> = S extends StandardSchema ? StandardOutput<S> : S extends AnswerSchema ? AnswerOf<S> : never;

/** A value that a schema accepts. */
type GivenFor<S> = S extends StandardSchema ? StandardInput<S> : S extends AnswerSchema ? Lenient<AnswerOf<S>> : never;

/** Interfaces have no index signature, so they are not assignable to the types of JSON. */
type Lenient<T> = JsonValue extends T ? JsonInput : JsonObject extends T ? object : T;

/** With a schema the handler must return the output, or `undefined` after `ctx.reject()`. */
type Returned<O> = [O] extends [SkillSchema] ? GivenFor<O> | undefined : HandlerResult;

/** The output as callers receive it. */
type SentOutput<O> = [O] extends [SkillSchema] ? Jsonify<ValueOf<O>> : JsonValue | undefined;

/**
 * Defines a skill with a typed input, its own handler and perhaps a typed output. A message that names the skill
 * (`metadata.skillId`) has the input as its data part. The server rejects an input that does not match.
 *
 * @example
 * const runQuery = skill({
 *   id: 'run-query',
 *   description: 'Runs a query and returns its rows.',
 *   input: z.object({ sql: z.string() }),
 *   output: z.object({ rows: z.array(z.string()) }),
 *   async run({ input, step }) {
 *     return { rows: await step('query', () => database.query(input.sql)) };
 *   },
 * });
 * const database = agent({ name: 'Database', description: 'Answers queries.', skills: [runQuery] });
 */
export function skill<
  const I extends SkillSchema,
  const O extends SkillSchema | undefined = undefined,
  const Id extends string = string,
  P extends Primitive = never,
>(options: TypedSkillOptions<I, O, Id, P>): TypedSkill<GivenFor<I>, SentOutput<O>, Id> {
  return options;
}
