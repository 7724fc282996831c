import { A2AError, type FieldViolation } from '../errors.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import type { Message } from '../model/message.ts';
import type { Part } from '../model/part.ts';
import { textOfParts } from '../model/part-text.ts';
import type { JournalRecord } from '../store/store.ts';
import { type AnswerSchema, answerProblems, assertAnswerSchema, valueFromText } from './answer-schema.ts';
import { credentialIn } from './sensitive-parts.ts';
import type { AskOptions, ChooseOption, ChooseQuestion, ConfirmQuestion, FormQuestion, Question } from './handler.ts';

/** A question as the journal keeps it: all that is needed to check an answer, on whatever node it arrives. */
export interface AskedQuestion {
  /** What the handler gets: the text, the whole message, or a value of the schema. */
  readonly gives: 'text' | 'message' | 'value';
  readonly schema?: AnswerSchema;
  readonly options?: readonly ChooseOption[];
  readonly sensitive: boolean;
  /** It asks for a credential: one in a part that is marked as sensitive, or whatever a message says. */
  readonly credential?: 'marked' | 'any';
  readonly expiresAt: number;
  /** How long there was for an answer. Questions of earlier versions do not say. */
  readonly timeoutMs?: number;
}

export interface PreparedQuestion extends Omit<AskedQuestion, 'expiresAt' | 'timeoutMs'> {
  /** What the caller sees: a text that is enough by itself, and the same as data for programs. */
  readonly parts: readonly Part[];
}

/** Reads what a handler asks. @throws TypeError that tells its author what is wrong. */
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
  if (schema !== undefined) throw new TypeError('A typed question has its own schema: leave the option away');
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
  if (!Array.isArray(options) || options.length === 0) throw new TypeError('choose needs options, at least one');
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

/** What was asked, as the journal of its task has it. */
export function openQuestion(entries: readonly JournalRecord[], key: string): AskedQuestion {
  const asked = entries.find((entry) => entry.kind === 'question' && entry.key === key);
  return (asked?.body ?? { gives: 'text', sensitive: false, expiresAt: 0 }) as unknown as AskedQuestion;
}

/** Whether a message answers it. Another one is only something that was said (1.0 §7.6.1). */
export function isAnsweredBy({ credential }: AskedQuestion, message: Message): boolean {
  return credential !== 'marked' || credentialIn(message) !== undefined;
}

/** What the handler gets for an answer. @throws A2AError that tells the caller what to answer instead. */
export function readAnswer(asked: AskedQuestion, message: Message): JsonValue {
  const { gives, schema } = asked;
  if (asked.credential === 'marked') return credentialIn(message) ?? '';
  const text = textOfParts(message.parts);
  if (schema === undefined) return gives === 'message' ? (message as unknown as JsonValue) : text;
  const value = answerValue(asked, schema, message, text);
  const violations: readonly FieldViolation[] =
    value === undefined ? [{ field: 'message.parts', description: describe(asked) }] : answerProblems(schema, value);
  if (violations.length > 0 || value === undefined) {
    throw new A2AError('INVALID_PARAMS', `That does not answer the question: ${describe(asked)}`, { violations });
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

function describe({ options, schema }: AskedQuestion): string {
  if (options !== undefined) return `expected one of ${options.map(({ label }) => label).join(', ')}`;
  if (schema?.type === 'boolean') return 'expected yes or no';
  return schema?.type === undefined ? 'expected another value' : `expected a value of type ${schema.type}`;
}

function wording(text: unknown, what: string): string {
  if (typeof text === 'string' && text !== '') return text;
  throw new TypeError(`${what} must be a non-empty string`);
}

function nonsense(): TypeError {
  return new TypeError('Ask a text, {confirm: …}, {choose: …, options: […]} or {form: …, fields: {…}}');
}
