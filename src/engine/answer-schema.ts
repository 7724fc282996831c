import type { FieldViolation } from '../errors.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import { isList, isPlain, isRecord, isSame, typeOf } from './json-value.ts';

const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'] as const;

export type AnswerType = (typeof TYPES)[number];

/**
 * What an answer must look like: the plain-data part of JSON Schema that every caller can read and every form can show.
 * No references, no combinations, no conditions. A type and no interface, so that it is JSON for the compiler too.
 */
export type AnswerSchema = {
  readonly type?: AnswerType;
  readonly title?: string;
  readonly description?: string;
  /** What a form may propose; never filled in by us. */
  readonly default?: JsonValue;
  readonly enum?: readonly JsonValue[];
  readonly const?: JsonValue;
  /** The members of an object, by name. */
  readonly properties?: Readonly<Record<string, AnswerSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  /** What each item of an array must look like. */
  readonly items?: AnswerSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  /** In characters, of which an emoji is one. */
  readonly minLength?: number;
  readonly maxLength?: number;
  /** A regular expression in Unicode mode. Tried on texts of up to 10,000 characters; longer ones are refused. */
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  /** A hint for whoever shows the question; not checked. */
  readonly format?: string;
};

const MAX_DEPTH = 32;
const MAX_SCHEMAS = 1000;
const MAX_VALUE_DEPTH = 64;
const MAX_VIOLATIONS = 20;
const MAX_NAME = 64;
const MAX_PATTERN_TEXT = 10_000;

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['yes', true],
  ['true', true],
  ['no', false],
  ['false', false],
]);

/** What each keyword must hold. The check answers with what was expected, or nothing if all is well. */
const KEYWORDS: Readonly<Record<keyof AnswerSchema, (value: unknown, at: string, walk: Walk) => string | undefined>> = {
  type: (value) => (TYPES.some((type) => type === value) ? undefined : `one of ${TYPES.join(', ')}`),
  title: text,
  description: text,
  default: plain,
  enum: (value) =>
    Array.isArray(value) && value.length > 0 && plain(value) === undefined ? undefined : 'a list of JSON values',
  const: plain,
  properties(value, at, walk) {
    if (!isRecord(value)) return 'an object of schemas';
    for (const [name, schema] of Object.entries(value)) assertSchema(schema, `${at}.${name}`, walk);
    return undefined;
  },
  required: (value) =>
    Array.isArray(value) && value.every((name) => typeof name === 'string') ? undefined : 'a list of names',
  additionalProperties: (value) => (typeof value === 'boolean' ? undefined : 'true or false'),
  items(value, at, walk) {
    assertSchema(value, at, walk);
    return undefined;
  },
  minItems: count,
  maxItems: count,
  minLength: count,
  maxLength: count,
  pattern: (value) => (typeof value === 'string' && compile(value) ? undefined : 'a regular expression, as a string'),
  minimum: number,
  maximum: number,
  format: text,
};

const PAIRS = [
  ['minItems', 'maxItems'],
  ['minLength', 'maxLength'],
  ['minimum', 'maximum'],
] as const;

/** How far a walk through a schema has come. Schemas shared by reference would else multiply at each level. */
interface Walk {
  depth: number;
  schemas: number;
}

/**
 * Checks a schema itself.
 *
 * @throws TypeError that names the place and what is wrong there.
 */
export function assertAnswerSchema(schema: unknown): asserts schema is AnswerSchema {
  assertSchema(schema, 'schema', { depth: 0, schemas: 0 });
}

function assertSchema(schema: unknown, at: string, walk: Walk): void {
  if (!isRecord(schema)) throw new TypeError(`${at} must be an object like { type: 'string' }`);
  if (++walk.depth > MAX_DEPTH) throw new TypeError(`${at} lies deeper than ${MAX_DEPTH} levels`);
  if (++walk.schemas > MAX_SCHEMAS) throw new TypeError(`${at} is one schema too many: ${MAX_SCHEMAS} are allowed`);
  for (const [keyword, value] of Object.entries(schema)) {
    if (value === undefined) continue;
    if (!isKeyword(keyword)) {
      const known = Object.keys(KEYWORDS).join(', ');
      throw new TypeError(`${at}.${keyword} is not a keyword that an answer can be checked by; these are: ${known}`);
    }
    const expected = KEYWORDS[keyword](value, `${at}.${keyword}`, walk);
    if (expected !== undefined) throw new TypeError(`${at}.${keyword} must be ${expected}`);
  }
  assertSatisfiable(schema, at);
  walk.depth--;
}

/** A question that no answer can satisfy would stay open until it expires. */
function assertSatisfiable(schema: AnswerSchema, at: string): void {
  for (const [min, max] of PAIRS) {
    const [low, high] = [schema[min], schema[max]];
    if (low !== undefined && high !== undefined && low > high) {
      throw new TypeError(`${at}.${min} must not be above ${max}`);
    }
  }
  const { type, properties, required } = schema;
  const choices = choicesOf(schema);
  if (choices?.length === 0) throw new TypeError(`${at}.const must be one of its enum`);
  if (type !== undefined && choices !== undefined && !choices.some((choice) => isOfType(type, choice))) {
    throw new TypeError(`${at} offers no ${type} to choose`);
  }
  const stray = properties && required?.find((name) => !Object.hasOwn(properties, name));
  if (stray !== undefined) throw new TypeError(`${at}.required names ${quote(stray)}, which is not in properties`);
}

/**
 * What is wrong with an answer; empty if nothing is. The schema must have passed `assertAnswerSchema`.
 * An answer given as plain text is checked as `valueFromText(schema, text) ?? text`.
 */
export function answerProblems(schema: AnswerSchema, value: JsonValue): readonly FieldViolation[] {
  const problems: FieldViolation[] = [];
  check(schema, value, 'answer', problems);
  return problems;
}

function check(schema: AnswerSchema, value: JsonValue, field: string, problems: FieldViolation[]): void {
  const expect = (holds: boolean, expected: string, at = field): void => {
    if (!holds && problems.length < MAX_VIOLATIONS) problems.push({ field: at, description: `expected ${expected}` });
  };
  const { type, minLength, maxLength, minimum, maximum, minItems, maxItems } = schema;
  if (type !== undefined && !isOfType(type, value)) return expect(false, article(type));
  const choices = choicesOf(schema);
  if (choices !== undefined && !choices.some((choice) => isSame(choice, value))) return expect(false, listed(choices));
  if (typeof value === 'number') {
    if (minimum !== undefined) expect(value >= minimum, `${minimum} or more`);
    if (maximum !== undefined) expect(value <= maximum, `${maximum} or less`);
  } else if (typeof value === 'string') {
    if (minLength !== undefined) expect(hasAtLeast(value, minLength), `${minLength} or more characters`);
    if (maxLength !== undefined) expect(!hasAtLeast(value, maxLength + 1), `${maxLength} or fewer characters`);
    if (schema.pattern !== undefined) expect(matches(schema.pattern, value), `a text that matches ${schema.pattern}`);
  } else if (isList(value)) {
    if (minItems !== undefined) expect(value.length >= minItems, `${minItems} or more items`);
    if (maxItems !== undefined) expect(value.length <= maxItems, `${maxItems} or fewer items`);
    const { items } = schema;
    if (items === undefined) return;
    for (let i = 0; i < value.length && problems.length < MAX_VIOLATIONS; i++) {
      check(items, value[i] ?? null, `${field}[${i}]`, problems);
    }
  } else if (value !== null && typeof value === 'object') {
    checkMembers(schema, value, field, problems, expect);
  }
}

function checkMembers(
  schema: AnswerSchema,
  value: JsonObject,
  field: string,
  problems: FieldViolation[],
  expect: (holds: boolean, expected: string, at: string) => void,
): void {
  const { properties = {}, required = [], additionalProperties = true } = schema;
  for (const name of required) expect(Object.hasOwn(value, name), 'a value, for it is required', `${field}.${name}`);
  for (const [name, member] of Object.entries(value)) {
    if (problems.length >= MAX_VIOLATIONS) return;
    const at = `${field}.${name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name}`;
    const inner = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (inner !== undefined) check(inner, member, at, problems);
    else expect(additionalProperties, 'no such member', at);
  }
}

/**
 * The value that a plain text stands for, or undefined if it stands for none. For callers that know nothing of schemas,
 * and for people: `YES` is true, `m` is the choice `M`, ` 42 ` is a number. It may still break the schema otherwise.
 */
export function valueFromText(schema: AnswerSchema, text: string): JsonValue | undefined {
  const choices = choicesOf(schema);
  if (choices !== undefined) return choiceFromText(choices, text);
  const word = text.trim();
  switch (schema.type ?? impliedType(schema)) {
    case 'string':
      return text;
    case 'integer':
    case 'number':
      return numberFromText(word, schema.type === 'integer');
    case 'boolean':
      return BOOLEANS.get(word.toLowerCase());
    case 'null':
      return word.toLowerCase() === 'null' ? null : undefined;
    case 'object':
      return jsonFromText(word, (value) => isOfType('object', value));
    case 'array':
      return jsonFromText(word, isList);
  }
}

/** The very word wins; else, in any case, if it can mean only one of them. */
function choiceFromText(choices: readonly JsonValue[], text: string): JsonValue | undefined {
  const word = text.trim();
  const exact = choices.find((choice) => choice === text || choice === word);
  if (exact !== undefined) return exact;
  const meant = choices.filter((choice) => {
    if (typeof choice === 'string') return choice.trim().toLowerCase() === word.toLowerCase();
    const value = valueFromText({ type: typeOf(choice) }, word);
    return value !== undefined && isSame(choice, value);
  });
  return meant.length === 1 ? meant[0] : undefined;
}

function numberFromText(word: string, isWhole: boolean): number | undefined {
  if (!/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/iu.test(word)) return undefined;
  const value = Number(word);
  // Beyond the safe integers another number would be understood than was written.
  const isFit = isWhole ? Number.isSafeInteger(value) : Number.isFinite(value);
  return isFit ? value : undefined;
}

function jsonFromText(word: string, fits: (value: JsonValue) => boolean): JsonValue | undefined {
  try {
    const value = JSON.parse(word) as JsonValue;
    return fits(value) && isPlain(value, MAX_VALUE_DEPTH) ? value : undefined;
  } catch {
    return undefined;
  }
}

function choicesOf(schema: AnswerSchema): readonly JsonValue[] | undefined {
  if (schema.const === undefined) return schema.enum;
  const only = schema.const;
  // Both hold at once, so an enum without the const leaves nothing to choose.
  return schema.enum === undefined || schema.enum.some((choice) => isSame(choice, only)) ? [only] : [];
}

function impliedType(schema: AnswerSchema): AnswerType {
  if (schema.properties !== undefined || schema.required !== undefined) return 'object';
  return schema.items === undefined ? 'string' : 'array';
}

function isOfType(type: AnswerType, value: JsonValue): boolean {
  if (type === 'integer') return Number.isInteger(value);
  return typeOf(value) === type;
}

/** Whether there are so many characters; stops counting as soon as that is known. */
function hasAtLeast(text: string, characters: number): boolean {
  // A character takes one or two code units.
  if (text.length < characters) return false;
  if (text.length >= 2 * characters) return true;
  let counted = 0;
  for (const _ of text) counted++;
  return counted >= characters;
}

function matches(pattern: string, text: string): boolean {
  return text.length <= MAX_PATTERN_TEXT && (compile(pattern)?.test(text) ?? false);
}

function compile(pattern: string): RegExp | undefined {
  try {
    return new RegExp(pattern, 'u');
  } catch {
    return undefined;
  }
}

function listed(choices: readonly JsonValue[]): string {
  const shown = choices.slice(0, 20).map(quote).join(', ');
  const more = choices.length > 20 ? ', …' : '';
  return choices.length === 1 ? shown : `one of ${shown}${more}`;
}

function quote(value: JsonValue): string {
  const json = JSON.stringify(value);
  return json.length > MAX_NAME ? `${json.slice(0, MAX_NAME)}…` : json;
}

function article(type: AnswerType): string {
  if (type === 'null') return 'null';
  return `${/^[aeio]/u.test(type) ? 'an' : 'a'} ${type}`;
}

function isKeyword(keyword: string): keyword is keyof AnswerSchema {
  return Object.hasOwn(KEYWORDS, keyword);
}

function plain(value: unknown): string | undefined {
  return isPlain(value, MAX_DEPTH) ? undefined : 'a JSON value';
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? undefined : 'a string';
}

function number(value: unknown): string | undefined {
  return Number.isFinite(value) ? undefined : 'a number';
}

function count(value: unknown): string | undefined {
  return Number.isSafeInteger(value) && Number(value) >= 0 ? undefined : 'a whole number, 0 or more';
}
