import { A2AError } from '../../errors.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import type { Message } from '../../model/message.ts';
import type { Part } from '../../model/part.ts';
import { textOfParts } from '../../model/part-text.ts';
import {
  type AnswerSchema,
  answerProblems,
  assertAnswerSchema,
  describeExpected,
  valueFromText,
} from '../../model/answer-schema.ts';
import { credentialIn } from './sensitive-parts.ts';
import type { AskOptions, ChooseOption, ChooseQuestion, ConfirmQuestion, FormQuestion, Question } from '../handler.ts';

/** A question as the journal records it: everything that is needed to check an answer on any node. */
export interface AskedQuestion {
  /** The result for the handler: the text, the whole message, or a value of the schema. */
  readonly gives: 'text' | 'message' | 'value';
  readonly schema?: AnswerSchema;
  readonly options?: readonly ChooseOption[];
  readonly sensitive: boolean;
  /** Set if it asks for a credential: in a part that is marked as sensitive, or any message. */
  readonly credential?: 'marked' | 'any';
  readonly expiresAt: number;
  /** How long the question is open. Absent in questions that earlier versions recorded. */
  readonly timeoutMs?: number;
  /** The id of the message that shows it. Absent in questions that earlier versions recorded. */
  readonly id?: string;
  /** The state of the task while it is shown. Absent in questions that earlier versions recorded. */
  readonly state?: QuestionState;
  /** Set if another question was shown when it was recorded: the parts for the caller. */
  readonly parts?: readonly Part[];
  /** Set if an agent that was called asks it: the names of the agents, from the called one to the asking one. */
  readonly path?: readonly string[];
}

/** The state of a task that asks a question: `AUTH_REQUIRED` for a credential. */
export type QuestionState = 'TASK_STATE_INPUT_REQUIRED' | 'TASK_STATE_AUTH_REQUIRED';

export interface PreparedQuestion extends Omit<AskedQuestion, 'expiresAt' | 'timeoutMs' | 'id' | 'state' | 'path'> {
  /** The parts for the caller: a text that is complete in itself, and the same as data for programs. */
  readonly parts: readonly Part[];
}

/**
 * Validates a question of a handler.
 *
 * @throws TypeError with a message for the author of the handler.
 */
export function prepareQuestion(question: Question, options: AskOptions = {}): PreparedQuestion {
  const { text, typed, schema, choices } = readQuestion(question, options);
  const gives = options.as === 'message' ? 'message' : schema === undefined ? 'text' : 'value';
  const data =
    typed === undefined && schema === undefined ? [] : [{ data: { question: { ...typed, schema } } as JsonObject }];
  return {
    gives,
    ...(schema !== undefined && { schema }),
    ...(choices !== undefined && { options: choices }),
    sensitive: options.sensitive === true,
    parts: [{ text }, ...data],
  };
}

/** A question with another text. */
export function withText(question: Question, text: string): Question {
  wording(text, 'was');
  if (typeof question === 'string') return text;
  if ('confirm' in question) return { ...question, confirm: text };
  return 'choose' in question ? { ...question, choose: text } : { ...question, form: text };
}

interface ReadQuestion {
  readonly text: string;
  readonly typed?: JsonObject;
  readonly schema?: AnswerSchema;
  readonly choices?: readonly ChooseOption[];
}

function readQuestion(question: Question, { schema }: AskOptions): ReadQuestion {
  if (schema !== undefined) assertAnswerSchema(schema);
  if (typeof question === 'string') {
    const text = wording(question, 'a question');
    return schema === undefined ? { text } : { text, schema };
  }
  if (typeof question !== 'object' || question === null) throw nonsense();
  if (schema !== undefined)
    throw new TypeError('A confirm, choose or form question has its own schema: remove the schema option');
  if ('confirm' in question) return readConfirm(question);
  if ('choose' in question) return readChoose(question);
  if ('form' in question) return readForm(question);
  throw nonsense();
}

function readConfirm({ confirm }: ConfirmQuestion): ReadQuestion {
  const text = wording(confirm, 'confirm');
  return { text: `${text} (yes/no)`, typed: { kind: 'confirm', text }, schema: { type: 'boolean' } };
}

function readChoose({ choose, options }: ChooseQuestion): ReadQuestion {
  const text = wording(choose, 'choose');
  if (!Array.isArray(options) || options.length === 0) throw new TypeError('choose needs at least one option');
  const given: ChooseQuestion['options'] = options;
  const choices = given.map((option) => (typeof option === 'string' ? { id: option, label: option } : { ...option }));
  for (const choice of choices) {
    wording(choice.id, 'the id of an option');
    wording(choice.label, 'the label of an option');
  }
  const lines = choices.map(({ label }, i) => `${i + 1}. ${label}`);
  return {
    text: [text, ...lines].join('\n'),
    typed: { kind: 'choose', text, options: choices },
    schema: { type: 'string', enum: choices.map(({ id }) => id) },
    choices,
  };
}

function readForm({ form, fields, required }: FormQuestion): ReadQuestion {
  const text = wording(form, 'form');
  const schema: AnswerSchema = { type: 'object', properties: fields, required: required ?? Object.keys(fields ?? {}) };
  assertAnswerSchema(schema);
  const lines = Object.entries(fields).map(([name, field]) => `- ${field.title ?? name}`);
  return { text: [text, ...lines].join('\n'), typed: { kind: 'form', text }, schema };
}

/** Whether a message answers the question. Other messages go to the inbox (1.0 §7.6.1). */
export function isAnsweredBy({ credential }: AskedQuestion, message: Message): boolean {
  return credential !== 'marked' || credentialIn(message) !== undefined;
}

/**
 * Reads the answer to a question as the value that the handler gets.
 *
 * @throws A2AError `INVALID_PARAMS` that names each wrong field, the expected value and, unless the question is sensitive, the
 * value that was sent.
 */
export function readAnswer(asked: AskedQuestion, message: Message): JsonValue {
  const { gives, schema } = asked;
  if (asked.credential === 'marked') return credentialIn(message) ?? '';
  const text = textOfParts(message.parts);
  if (schema === undefined) return gives === 'message' ? (message as unknown as JsonValue) : text;
  const value = answerValue(asked, schema, message, text);
  if (value === undefined) {
    const expected = describe(asked, schema, text);
    const violations = [{ field: 'message.parts', description: expected }];
    throw new A2AError('INVALID_PARAMS', `The answer does not match the question: ${expected}`, { violations });
  }
  // The answer to a sensitive question must not appear in errors, because callers log them.
  const violations = answerProblems(schema, value, asked.sensitive);
  const [first] = violations;
  if (first !== undefined) {
    const more = violations.length === 1 ? '' : ` (and ${violations.length - 1} more)`;
    const problem = `${first.field}: ${first.description}${more}`;
    throw new A2AError('INVALID_PARAMS', `The answer does not match the question: ${problem}`, { violations });
  }
  return gives === 'message' ? (message as unknown as JsonValue) : value;
}

function answerValue(
  { options }: AskedQuestion,
  schema: AnswerSchema,
  message: Message,
  text: string,
): JsonValue | undefined {
  const data = message.parts.find((part) => 'data' in part);
  const given = data !== undefined && 'data' in data ? data.data : undefined;
  if (options === undefined) return given ?? valueFromText(schema, text);
  const word = (typeof given === 'string' ? given : text).trim().toLowerCase();
  const byWord = options.find(({ id, label }) => id.toLowerCase() === word || label.toLowerCase() === word);
  return (byWord ?? (/^\d+$/.test(word) ? options[Number(word) - 1] : undefined))?.id;
}

const MAX_SHOWN = 64;

function describe({ options, sensitive }: AskedQuestion, schema: AnswerSchema, text: string): string {
  const expected =
    options === undefined ? describeExpected(schema) : `one of ${options.map(({ label }) => label).join(', ')}`;
  if (sensitive || text === '') return `expected ${expected}`;
  return `expected ${expected}; got ${JSON.stringify(text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text)}`;
}

function wording(text: unknown, what: string): string {
  if (typeof text === 'string' && text !== '') return text;
  throw new TypeError(`${what} must be a non-empty string`);
}

function nonsense(): TypeError {
  return new TypeError(
    'A question must be a string, {confirm: …}, {choose: …, options: […]} or {form: …, fields: {…}}',
  );
}
