import { runInNewContext } from 'node:vm';
import {
  type AnswerSchema,
  answerProblems,
  describeExpected,
  describeFormat,
  describePattern,
  readablePattern,
  valueFromText,
} from '../../model/answer-schema.ts';
import type { JsonValue } from '../../model/json.ts';
import type { Part } from '../../model/part.ts';
import { SENSITIVE } from '../../model/question.ts';
import type { TaskQuestion } from '../../client/task-question.ts';
import type { PromptOptions } from '../output/line-prompt.ts';
import { oneLine, screen } from '../output/screen.ts';

/** Shows a prompt and returns the line that the user types; `undefined` if there is none. */
export type ReadLine = (prompt: string, options: PromptOptions) => Promise<string | undefined>;

/** Whether the question has named fields, which `askQuestion` asks one by one. */
export function isForm(question: TaskQuestion): question is Form {
  return question.kind === 'form';
}

type Form = Extract<TaskQuestion, { kind: 'form' }>;

/**
 * Asks the user for the answer to a question until it is valid. Returns the parts to send: a form as data, anything else as
 * the text that the user typed. Returns `undefined` if the user leaves the question open.
 */
export async function askQuestion(question: TaskQuestion, read: ReadLine): Promise<readonly Part[] | undefined> {
  const part = isForm(question) ? await askForm(question, read) : await askLine(question, read);
  return part === undefined ? undefined : answerParts(question, part);
}

/**
 * Lets the user choose one of several open questions by its number. Returns `undefined` if the user leaves all of them open. One question
 * needs no choice.
 */
export async function chooseQuestion(
  questions: readonly TaskQuestion[],
  read: ReadLine,
): Promise<TaskQuestion | undefined> {
  const [only, ...others] = questions;
  if (others.length === 0) return only;
  screen.notice('Open questions:', 'bold');
  for (const [i, question] of questions.entries()) screen.notice(`  ${i + 1}. ${questionLine(question)}`);
  for (;;) {
    const line = await read(`question (1-${questions.length})> `, { isSecret: false });
    if (line === undefined || line === '') return undefined;
    const chosen = /^\d+$/.test(line) ? questions[Number(line) - 1] : undefined;
    if (chosen === undefined) screen.notice(`expected a number from 1 to ${questions.length}`, 'yellow');
    else {
      showQuestion(chosen);
      return chosen;
    }
  }
}

/** A question on one line: the agents that it came through, and its text. */
export function questionLine({ path, text }: TaskQuestion): string {
  return oneLine([...path, text].join(path.length === 0 ? '' : ' › '));
}

function showQuestion(question: TaskQuestion): void {
  screen.writeLine(questionLine(question));
  if (question.kind !== 'choose') return;
  for (const [i, { label }] of question.options.entries()) screen.writeLine(`${i + 1}. ${oneLine(label)}`);
}

/** The parts of an answer. A secret is marked, so that the agent keeps it out of the history. */
export function answerParts({ isSensitive }: TaskQuestion, part: Part): readonly Part[] {
  return [isSensitive ? { ...part, metadata: { [SENSITIVE]: true } } : part];
}

async function askLine(question: TaskQuestion, read: ReadLine): Promise<Part | undefined> {
  for (;;) {
    const line = await read('answer> ', { isSecret: question.isSensitive });
    if (line === undefined || line === '') return undefined;
    const problem = lineProblem(question, line);
    if (problem === undefined) return { text: line };
    screen.notice(problem, 'yellow');
  }
}

function lineProblem(question: TaskQuestion, line: string): string | undefined {
  if (question.kind === 'confirm') return readValue({ type: 'boolean' }, line, question.isSensitive).problem;
  if (question.kind === 'value') return readValue(question.schema, line, question.isSensitive).problem;
  if (question.kind !== 'choose') return;
  const { options } = question;
  const word = line.toLowerCase();
  const isNumber = /^\d+$/.test(word) && options[Number(word) - 1] !== undefined;
  if (isNumber || options.some(({ id, label }) => word === id.toLowerCase() || word === label.toLowerCase())) return;
  return `expected a number from 1 to ${options.length}, or one of ${options.map(({ label }) => oneLine(label)).join(', ')}`;
}

async function askForm({ fields, required, isSensitive: isSecret }: Form, read: ReadLine): Promise<Part | undefined> {
  const answer: [string, JsonValue][] = [];
  for (const [name, field] of Object.entries(fields)) {
    const value = await askField({ name, field, isRequired: required.includes(name), isSecret }, read);
    if (value === END) return undefined;
    if (value !== undefined) answer.push([name, value]);
  }
  return { data: Object.fromEntries(answer) };
}

interface Field {
  readonly name: string;
  readonly field: AnswerSchema;
  readonly isRequired: boolean;
  readonly isSecret: boolean;
}

const END = Symbol('the end of the input');

/** Returns the value of a field, `undefined` for an optional field without one. */
async function askField(asked: Field, read: ReadLine): Promise<JsonValue | undefined | typeof END> {
  const { name, field, isRequired, isSecret } = asked;
  showField(asked);
  for (;;) {
    const line = await read(`${oneLine(name)}> `, { isSecret });
    if (line === undefined) return END;
    if (line === '' && (field.default !== undefined || !isRequired)) return field.default;
    const { value, problem } =
      line === '' ? { problem: 'a value is required', value: undefined } : readValue(field, line, isSecret);
    if (problem === undefined) return value;
    screen.notice(`${oneLine(name)}: ${problem}`, 'yellow');
  }
}

function showField({ name, field, isRequired }: Field): void {
  const facts = [typeText(field), ...limits(field)];
  if (field.default !== undefined) facts.push(`default ${oneLine(valueText(field.default))}`);
  facts.push(isRequired ? 'required' : 'optional');
  screen.notice(`${oneLine(field.title ?? name)} (${facts.join(', ')})`, 'bold');
  if (field.description !== undefined) screen.notice(`  ${oneLine(field.description)}`, 'dim');
  for (const [i, choice] of (field.enum ?? []).entries()) screen.notice(`  ${i + 1}. ${oneLine(valueText(choice))}`);
}

const TYPE_TEXTS: Readonly<Record<NonNullable<AnswerSchema['type']>, string>> = {
  string: 'text',
  number: 'number',
  integer: 'whole number',
  boolean: 'yes or no',
  object: 'JSON object',
  array: 'JSON array',
  null: 'null',
};

function typeText({ type, enum: choices, properties, items }: AnswerSchema): string {
  if (choices !== undefined) return 'choose one';
  if (type !== undefined) return TYPE_TEXTS[type];
  return properties !== undefined ? TYPE_TEXTS.object : items !== undefined ? TYPE_TEXTS.array : TYPE_TEXTS.string;
}

function limits(field: AnswerSchema): readonly string[] {
  const pattern = readablePattern(field);
  return [
    field.const === undefined ? undefined : `must be ${oneLine(valueText(field.const))}`,
    range(field.minimum, field.maximum, ''),
    range(field.minLength, field.maxLength, ' characters'),
    range(field.minItems, field.maxItems, ' items'),
    field.format === undefined ? undefined : (describeFormat(field) ?? oneLine(field.format)),
    pattern === undefined ? undefined : `matches ${oneLine(pattern)}`,
  ].filter((text) => text !== undefined);
}

function range(min: number | undefined, max: number | undefined, unit: string): string | undefined {
  if (min !== undefined && max !== undefined) return `${min} to ${max}${unit}`;
  if (min !== undefined) return `at least ${min}${unit}`;
  return max === undefined ? undefined : `at most ${max}${unit}`;
}

function valueText(value: JsonValue): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

interface ReadValue {
  readonly value: JsonValue | undefined;
  readonly problem: string | undefined;
}

function readValue(schema: AnswerSchema, line: string, isSecret: boolean): ReadValue {
  const value = valueFromText(schema, line) ?? numbered(schema.enum, line);
  if (value === undefined) {
    const got = isSecret ? '' : `; got ${JSON.stringify(line)}`;
    return { value, problem: oneLine(`expected ${describeExpected(schema)}${got}`) };
  }
  const [violation] = answerProblems(withoutPatterns(schema), value, isSecret);
  const { pattern } = schema;
  if (violation !== undefined) return { value, problem: oneLine(violation.description) };
  if (pattern === undefined || typeof value !== 'string' || matches(pattern, value))
    return { value, problem: undefined };
  return { value, problem: oneLine(`expected ${describePattern(schema)}`) };
}

/** The choice with this number, as `showField` prints it. */
function numbered(choices: readonly JsonValue[] = [], line: string): JsonValue | undefined {
  return /^\d+$/.test(line) ? choices[Number(line) - 1] : undefined;
}

const PATTERN_MS = 200;

/**
 * Tests a pattern of the agent. Some patterns take years for a short text, and Ctrl-C has no effect in that time. A pattern
 * that takes too long counts as matched; the agent checks it again.
 */
function matches(pattern: string, text: string): boolean {
  try {
    return runInNewContext('new RegExp(pattern, "u").test(text)', { pattern, text }, { timeout: PATTERN_MS }) === true;
  } catch {
    return true;
  }
}

function withoutPatterns({ pattern: _, properties, items, ...schema }: AnswerSchema): AnswerSchema {
  const members = Object.entries(properties ?? {}).map(([name, member]) => [name, withoutPatterns(member)] as const);
  return {
    ...schema,
    ...(properties !== undefined && { properties: Object.fromEntries(members) }),
    ...(items !== undefined && { items: withoutPatterns(items) }),
  };
}
