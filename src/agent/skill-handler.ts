/** Typed skills at run time: check the input, run the handler, check the output. */
import type { HandlerResult, Outputs, TaskContext } from '../engine/handler.ts';
import { isAsyncIterable } from '../engine/run/drive.ts';
import type { Output } from '../engine/output/output.ts';
import { toAnswerSchema } from '../engine/questions/schema-question.ts';
import { A2AError, type FieldViolation } from '../errors.ts';
import { type AnswerSchema, answerProblems, assertAnswerSchema } from '../model/answer-schema.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import type { Message } from '../model/message.ts';
import { RESULT, type SkillSchemas } from '../model/skills.ts';
import { isStandardSchema, issuesText, type StandardSchema } from '../model/standard-schema.ts';
import type { Check } from '../support/check.ts';
import { toJson } from '../support/json/to-json.ts';

/** The schema of the input or output of a skill: of zod, valibot or another library, or the subset of JSON Schema that questions use. */
export type SkillSchema = StandardSchema | AnswerSchema;

/** The members that make a skill typed. */
export const TYPED_KEYS = ['input', 'output', 'run'] as const;

/** A typed skill at run time. */
export interface SkillHandler {
  readonly id: string;
  readonly input: SkillSchema;
  readonly output: SkillSchema | undefined;
  readonly run: (ctx: TaskContext) => unknown;
  /** The part of the input schema that is checked before a task starts. */
  readonly admitted: AnswerSchema;
  readonly schemas: SkillSchemas;
}

export function isTyped(skill: Readonly<Record<string, unknown>>): boolean {
  return TYPED_KEYS.some((key) => skill[key] !== undefined);
}

/** Reads the typed members of a skill. The others are read like those of every skill. */
export function readTypedSkill(
  check: Check,
  { input, output, run }: Readonly<Record<string, unknown>>,
  id: string,
  path: string,
): SkillHandler | undefined {
  if (typeof run !== 'function') {
    check.fault(`${path}.run`, 'is required: pass an async function or generator such as async run({ input }) { … }');
  }
  const schemas = [readSchema(check, input, `${path}.input`), readSchema(check, output ?? {}, `${path}.output`)];
  const [taken, given] = schemas;
  if (typeof run !== 'function' || taken === undefined || given === undefined) return undefined;
  return {
    id,
    input: taken,
    output: output === undefined ? undefined : given,
    run: run as SkillHandler['run'],
    admitted: isStandardSchema(taken) ? toAnswerSchema(taken) : taken,
    schemas: {
      input: jsonSchemaOf(taken, 'input'),
      ...(output !== undefined && { output: jsonSchemaOf(given, 'output') }),
    },
  };
}

function readSchema(check: Check, schema: unknown, path: string): SkillSchema | undefined {
  if (schema === undefined) {
    check.fault(path, "is required: pass a schema such as z.object({ … }) or { type: 'object', properties: { … } }");
    return undefined;
  }
  if (isStandardSchema(schema)) return schema;
  try {
    assertAnswerSchema(schema);
    return structuredClone(schema);
  } catch (error) {
    check.fault(path, (error as Error).message);
    return undefined;
  }
}

/** The schema for cards; empty if the library has none. */
function jsonSchemaOf(schema: SkillSchema, side: 'input' | 'output'): JsonObject {
  if (!isStandardSchema(schema)) return schema;
  try {
    const json = schema['~standard'].jsonSchema?.[side]?.({ target: 'draft-2020-12' }) ?? {};
    return JSON.parse(JSON.stringify(json)) as JsonObject;
  } catch {
    // Not every type has a form in JSON Schema.
    return {};
  }
}

/**
 * Checks the input of a message that starts a task, as far as that is possible without running the library.
 *
 * @throws A2AError `INVALID_PARAMS` that names each wrong field.
 */
export function admitInput({ id, admitted }: SkillHandler, message: Message): void {
  const found = inputIn(message);
  const violations =
    found === undefined
      ? [{ field: 'message.parts', description: EXPECTED }]
      : answerProblems(admitted, found.data, false, `message.parts[${found.index}].data`);
  if (violations.length === 0) return;
  throw new A2AError('INVALID_PARAMS', `${notValid(id)}: ${problemsText(violations)}`, { violations });
}

const EXPECTED = 'expected one data part with the input';

function notValid(id: string): string {
  return `The input of skill ${JSON.stringify(id)} is not valid`;
}

/** The only data part of a message. */
function inputIn({ parts }: Pick<Message, 'parts'>): { readonly data: JsonValue; readonly index: number } | undefined {
  const [first, ...others] = parts.flatMap((part, index) => ('data' in part ? [{ data: part.data, index }] : []));
  return others.length === 0 ? first : undefined;
}

/** Runs the handler of a skill. An input that the library rejects ends the task as rejected, with the reasons. */
export async function* runSkill(
  handler: SkillHandler,
  ctx: TaskContext,
): AsyncGenerator<Output, HandlerResult, undefined> {
  const { id, output, run } = handler;
  const checked = await checkedInput(handler, ctx);
  if ('problem' in checked) return ctx.reject(`${notValid(id)}: ${checked.problem}`);
  const ending = withEnding(ctx);
  const result = run(Object.assign(ctx, { ...ending.functions, input: checked.value }));
  const returned: unknown = isAsyncIterable(result) ? yield* result as Outputs<unknown> : await result;
  if (output === undefined || (returned === undefined && ending.isOver())) return returned as HandlerResult;
  return { artifact: RESULT, data: await checkedOutput(output, id, returned) };
}

/** Functions of the context that can end the task, and whether one of them did. Then the handler has no output to return. */
function withEnding({ reject, reply, status }: TaskContext): {
  readonly functions: Pick<TaskContext, 'reject' | 'reply' | 'status'>;
  readonly isOver: () => boolean;
} {
  let isOver = false;
  const functions: Pick<TaskContext, 'reject' | 'reply' | 'status'> = {
    reject(reason) {
      isOver = true;
      return reject(reason);
    },
    reply(content) {
      isOver = true;
      return reply(content);
    },
    status(next) {
      isOver ||= typeof next !== 'string' && next.status !== 'working';
      return status(next);
    },
  };
  return { functions, isOver: () => isOver };
}

type Checked = { readonly value: unknown } | { readonly problem: string };

async function checkedInput({ id, input, admitted }: SkillHandler, ctx: TaskContext): Promise<Checked> {
  const found = inputIn(messageWithInput(id, ctx));
  if (found === undefined) return { problem: EXPECTED };
  const violations = answerProblems(admitted, found.data, false, 'input');
  if (violations.length > 0) return { problem: problemsText(violations) };
  if (!isStandardSchema(input)) return { value: found.data };
  const result = await input['~standard'].validate(found.data);
  return result.issues === undefined ? { value: result.value } : { problem: issuesText(result.issues) };
}

/** After `input-required` the skill runs again: the message answers, and the first message of the task has the input. */
function messageWithInput(id: string, ctx: TaskContext): Pick<Message, 'parts'> {
  const { message, metadata } = ctx;
  const isAddressed = [message.metadata, metadata].some((given) => given?.['skillId'] === id);
  return isAddressed ? message : (ctx.task.history?.find(({ role }) => role === 'ROLE_USER') ?? message);
}

/** @throws TypeError for the author of the handler. */
async function checkedOutput(schema: SkillSchema, id: string, returned: unknown): Promise<JsonValue> {
  if (returned === undefined)
    throw new TypeError(`Skill ${JSON.stringify(id)} returned no output, but it has an output schema`);
  const wrong = (reasons: string): TypeError =>
    new TypeError(`Skill ${JSON.stringify(id)} returned a value that does not match its output: ${reasons}`);
  if (!isStandardSchema(schema)) {
    const data = toJson(returned, 'output');
    const violations = answerProblems(schema, data, false, 'output');
    if (violations.length > 0) throw wrong(problemsText(violations));
    return data;
  }
  const result = await schema['~standard'].validate(returned);
  if (result.issues !== undefined) throw wrong(issuesText(result.issues));
  return toJson(result.value, 'output');
}

function problemsText(violations: readonly FieldViolation[]): string {
  return violations.map(({ field, description }) => `${field}: ${description}`).join('; ');
}
