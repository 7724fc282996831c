import type { AgentCard, AgentExtension } from './card.ts';
import type { JsonObject, JsonValue } from './json.ts';

/**
 * The extension with which a message names its skill: `skillId` in the metadata of the message. Its params on a card have the JSON
 * Schemas of typed skills, by the id of the skill: `{ skills: { [id]: { input, output? } } }`. A message for a typed skill has one data
 * part, the input. The task of a skill with an output has it in the artifact `result`.
 */
export const SKILL_EXTENSION = 'urn:tandem-a2a:skill:1';

/** The artifact with the output of a typed skill. */
export const RESULT = 'result';

/** The JSON Schemas of a typed skill. */
export interface SkillSchemas {
  /** The schema of the input; empty if the library that checks it has no JSON Schema for it. */
  readonly input: JsonObject;
  /** The schema of the output, for a skill that has one. */
  readonly output?: JsonObject;
}

/** The extension as a card declares it, with the schemas of the skills that it lists. */
export function skillExtension(schemas: Readonly<Record<string, SkillSchemas>>): AgentExtension {
  const own = { uri: SKILL_EXTENSION, description: 'A message may name its skill: metadata.skillId' };
  if (Object.keys(schemas).length === 0) return own;
  return { ...own, params: { skills: schemas as unknown as JsonObject } };
}

/** Whether a card declares an output schema for a skill. */
export function declaresOutput({ capabilities }: AgentCard, skillId: string): boolean {
  const extension = capabilities.extensions?.find(({ uri }) => uri === SKILL_EXTENSION);
  return memberOf(memberOf(extension?.params?.['skills'], skillId), 'output') !== undefined;
}

function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, name))
    return undefined;
  return (value as JsonObject)[name];
}

/** The types of a typed skill. `typeof` of what `skill()` returns has them, and so has an interface that you write. */
export interface SkillTypes<Input = unknown, Output = unknown, Id extends string = string> {
  /** Only for the compiler; never set at run time. */
  readonly '~types'?: {
    /** The id of the skill; any string if the compiler does not know it. */
    readonly id: Id;
    /** The input, as callers send it. */
    readonly input: Input;
    /** The output, as callers receive it. */
    readonly output: Output;
  };
}
