import type { FieldViolation } from '../errors.ts';
import type { JsonObject, JsonValue } from './json.ts';
import { isList, isPlain, isSame, typeOf } from '../support/json/json-value.ts';
import { isRecord } from '../support/json/to-json.ts';

const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'] as const;

/** The `type` of an `AnswerSchema`. */
export type AnswerType = (typeof TYPES)[number];

/**
 * The schema of an answer: the plain-data subset of JSON Schema that every caller can read and every form can show.
 * References, combinations and conditions are not supported.
 *
 * It is a type instead of an interface, so that the compiler accepts it as JSON.
 */
export type AnswerSchema = {
  /** The type of the answer; any type if not set. */
  readonly type?: AnswerType;
  /** A short label for a form. */
  readonly title?: string;
  /** A longer explanation for a form. */
  readonly description?: string;
  /** A value that a form can suggest. The server never fills it in. */
  readonly default?: JsonValue;
  /** The allowed values, at least one. */
  readonly enum?: readonly JsonValue[];
  /** The only allowed value. */
  readonly const?: JsonValue;
  /** The schemas of the members of an object, by name. */
  readonly properties?: Readonly<Record<string, AnswerSchema>>;
  /** The members that an object must have. Each must be in `properties`. */
  readonly required?: readonly string[];
  /** Whether an object may have members that are not in `properties`; `true` if not set. */
  readonly additionalProperties?: boolean;
  /** The schema of each item of an array. */
  readonly items?: AnswerSchema;
  /** The minimum number of items of an array. */
  readonly minItems?: number;
  /** The maximum number of items of an array. */
  readonly maxItems?: number;
  /** The minimum length of a string in characters; an emoji counts as one. */
  readonly minLength?: number;
  /** The maximum length of a string in characters. */
  readonly maxLength?: number;
  /** A regular expression in Unicode mode. Texts of more than 10,000 characters never match. */
  readonly pattern?: string;
  /** The smallest allowed number. */
  readonly minimum?: number;
  /** The largest allowed number. */
  readonly maximum?: number;
  /** A hint for the user interface. The server does not check it. */
  readonly format?: string;
};

const MAX_DEPTH = 32;
const MAX_SCHEMAS = 1000;
const MAX_VALUE_DEPTH = 64;
const MAX_VIOLATIONS = 20;
const MAX_NAME = 64;
const MAX_PATTERN_TEXT = 10_000;

/** Formats for which schema libraries write a pattern, in words. */
const FORMATS: ReadonlyMap<string, string> = new Map([
  ['date', 'a date such as 2026-05-01'],
  ['time', 'a time such as 09:05:00'],
  ['date-time', 'a date and time such as 2026-05-01T09:05:00Z'],
  ['duration', 'a duration such as P1DT2H'],
  ['email', 'an email address'],
  ['uri', 'a URL'],
  ['uuid', 'a UUID'],
  ['ipv4', 'an IPv4 address'],
  ['ipv6', 'an IPv6 address'],
]);
/** The pattern of a library for a format is longer than this, and people cannot read it. */
const MAX_READABLE_PATTERN = 40;

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['yes', true],
  ['true', true],
  ['no', false],
  ['false', false],
]);

/** The check of each keyword. Returns the expected value as text, or `undefined` if the value is valid. */
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

/**
 * The progress of a walk through a schema. Without these limits, schemas that are shared by reference would multiply at
 * each level.
 */
interface Walk {
  depth: number;
  schemas: number;
}

/**
 * Validates a schema.
 *
 * @throws TypeError with the path and the problem.
 */
export function assertAnswerSchema(schema: unknown): asserts schema is AnswerSchema {
  assertSchema(schema, 'schema', { depth: 0, schemas: 0 });
}

function assertSchema(schema: unknown, at: string, walk: Walk): void {
  if (!isRecord(schema)) throw new TypeError(`${at} must be an object like { type: 'string' }`);
  if (++walk.depth > MAX_DEPTH) throw new TypeError(`${at} nests deeper than ${MAX_DEPTH} levels`);
  if (++walk.schemas > MAX_SCHEMAS) throw new TypeError(`${at} exceeds the limit of ${MAX_SCHEMAS} schemas`);
  for (const [keyword, value] of Object.entries(schema)) {
    if (value === undefined) continue;
    if (!isAnswerKeyword(keyword)) {
      const known = Object.keys(KEYWORDS).join(', ');
      throw new TypeError(`${at}.${keyword} is not a supported keyword; use one of ${known}`);
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
      throw new TypeError(`${at}.${min} must not be greater than ${max}`);
    }
  }
  const { type, properties, required } = schema;
  const choices = choicesOf(schema);
  if (choices?.length === 0) throw new TypeError(`${at}.const must be one of the values in enum`);
  if (type !== undefined && choices !== undefined && !choices.some((choice) => isOfType(type, choice))) {
    throw new TypeError(`${at} has no choice of type ${type}`);
  }
  const stray = properties && required?.find((name) => !Object.hasOwn(properties, name));
  if (stray !== undefined) throw new TypeError(`${at}.required names ${quote(stray)}, which is not in properties`);
}

/**
 * Returns the problems of an answer; empty if it is valid. The schema must have passed `assertAnswerSchema`. An answer in
 * plain text is checked as `valueFromText(schema, text) ?? text`.
 *
 * @param at The field name of the value itself.
 */
export function answerProblems(
  schema: AnswerSchema,
  value: JsonValue,
  isSensitive = false,
  at = 'answer',
): readonly FieldViolation[] {
  const problems: Problem[] = [];
  check(schema, value, at, problems);
  return problems.map(({ field, expected, got }) => ({
    field,
    description: isSensitive ? `expected ${expected}` : `expected ${expected}; got ${got}`,
  }));
}

interface Problem {
  readonly field: string;
  readonly expected: string;
  readonly got: string;
}

/** Describes the values that a schema accepts: `an integer`, `one of "S", "M"`, `a JSON object with the fields a, b (optional: c)`. */
export function describeExpected(schema: AnswerSchema): string {
  const choices = choicesOf(schema);
  if (choices !== undefined) return listed(choices);
  const { type, properties } = schema;
  if (type === 'boolean') return 'yes or no';
  if (type === 'object' || properties !== undefined) return `a JSON object${describeFields(schema)}`;
  return type === undefined ? 'a value that matches the schema' : article(type);
}

function describeFields({ properties = {}, required = [] }: AnswerSchema): string {
  const optional = Object.keys(properties).filter((name) => !required.includes(name));
  if (required.length === 0) return optional.length === 0 ? '' : ` with the optional fields ${optional.join(', ')}`;
  return ` with the fields ${required.join(', ')}${optional.length === 0 ? '' : ` (optional: ${optional.join(', ')})`}`;
}

/** The format of a text in words: `a date such as 2026-05-01`. Undefined if there is none, or an unknown one. */
export function describeFormat({ format = '' }: AnswerSchema): string | undefined {
  return FORMATS.get(format);
}

/** The pattern, if the format does not describe it: libraries write long patterns for their formats. */
export function readablePattern(schema: AnswerSchema): string | undefined {
  const { pattern = '' } = schema;
  return describeFormat(schema) !== undefined && pattern.length > MAX_READABLE_PATTERN ? undefined : schema.pattern;
}

/** Describes the texts that match the pattern of a schema: `a text that matches ^a+$`, `a date such as 2026-05-01`. */
export function describePattern(schema: AnswerSchema): string {
  const pattern = readablePattern(schema);
  return `${describeFormat(schema) ?? 'a text'}${pattern === undefined ? '' : ` that matches ${pattern}`}`;
}

function check(schema: AnswerSchema, value: JsonValue, field: string, problems: Problem[]): void {
  const expect = (holds: boolean, expected: string, at = field, got?: string): void => {
    if (!holds && problems.length < MAX_VIOLATIONS) problems.push({ field: at, expected, got: got ?? shown(value) });
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
    if (schema.pattern !== undefined) expect(matches(schema.pattern, value), describePattern(schema));
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
  problems: Problem[],
  expect: (holds: boolean, expected: string, at: string, got: string) => void,
): void {
  const { properties = {}, required = [], additionalProperties = true } = schema;
  for (const name of required) expect(Object.hasOwn(value, name), 'a value', `${field}.${name}`, 'none');
  for (const [name, member] of Object.entries(value)) {
    if (problems.length >= MAX_VIOLATIONS) return;
    const at = `${field}.${name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name}`;
    const inner = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (inner !== undefined) check(inner, member, at, problems);
    else expect(additionalProperties, 'no member of this name', at, shown(member));
  }
}

/**
 * Converts plain text to a value of the schema, or `undefined` if that is not possible. For people and for callers that do
 * not support schemas: `YES` is true, `m` is the choice `M`, ` 42 ` is a number. The value can still violate other
 * keywords.
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

/** Prefers an exact match. Otherwise ignores case, if exactly one choice matches. */
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
  // Beyond the safe integers the value would differ from the text.
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
  // Both keywords apply, so an enum without the const leaves no choice.
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

/** Whether a text has at least this many characters. Stops counting as soon as that is known. */
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

/** Objects and arrays are not printed, because an answer may nest deeper than the stack is high. */
function shown(value: JsonValue): string {
  return value !== null && typeof value === 'object' ? article(typeOf(value)) : quote(value);
}

function quote(value: JsonValue): string {
  const json = JSON.stringify(value);
  return json.length > MAX_NAME ? `${json.slice(0, MAX_NAME)}…` : json;
}

function article(type: AnswerType): string {
  if (type === 'null') return 'null';
  return `${/^[aeio]/u.test(type) ? 'an' : 'a'} ${type}`;
}

export function isAnswerKeyword(keyword: string): keyword is keyof AnswerSchema {
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
