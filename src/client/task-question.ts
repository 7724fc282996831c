import { A2AError, markNested } from '../errors.ts';
import { type AnswerSchema, assertAnswerSchema } from '../model/answer-schema.ts';
import type { JsonInput, JsonObject } from '../model/json.ts';
import { QUESTIONS, SENSITIVE } from '../model/question.ts';
import { isPaused } from '../model/state.ts';
import type { Task } from '../model/task.ts';
import { isRecord } from '../support/json/to-json.ts';
import type { MessageDraft, MessageInput } from './message-input.ts';
import { textOfStatus } from '../model/task-text.ts';

/** The members that all questions have. */
interface QuestionFacts {
  /** The id with which an answer names the question. Undefined if the agent did not send one. */
  readonly id: string | undefined;
  /** The names of the agents that the question came through, the asking one last. Empty if the agent of the task asks itself. */
  readonly path: readonly string[];
  /** The text of the question. `options` and `fields` are not repeated in it. */
  readonly text: string;
  /** Whether the answer is a secret: do not show or log it. */
  readonly isSensitive: boolean;
}

/**
 * The question that a paused task asks, distinguished by `kind`. Agents made with this library describe their questions; a question of
 * another agent is a `text`.
 *
 * @example
 * if (question.kind === 'confirm') return window.confirm(question.text);
 * if (question.kind === 'choose') return pick(question.text, question.options);
 */
export type TaskQuestion =
  | (QuestionFacts & {
      /** Free text. */
      readonly kind: 'text';
    })
  | (QuestionFacts & {
      /** Yes or no. The answer is a boolean. */
      readonly kind: 'confirm';
    })
  | (QuestionFacts & {
      /** A list of options. The answer is the `id` of one of them. */
      readonly kind: 'choose';
      /** The options, at least one. */
      readonly options: readonly {
        /** The answer. */
        readonly id: string;
        /** The text to show. */
        readonly label: string;
      }[];
    })
  | (QuestionFacts & {
      /** Several fields. The answer is an object with a value for each required field, and perhaps for the others. */
      readonly kind: 'form';
      /** The schema of each field, by name. */
      readonly fields: Readonly<Record<string, AnswerSchema>>;
      /** The names of the fields that need a value. */
      readonly required: readonly string[];
      /** The schema of the whole answer. */
      readonly schema: AnswerSchema;
    })
  | (QuestionFacts & {
      /** One value. The answer is any JSON value that matches the schema. */
      readonly kind: 'value';
      /** The schema of the answer. */
      readonly schema: AnswerSchema;
    })
  | (QuestionFacts & {
      /** An authorization: usually granted elsewhere, after which the task resumes. An answer is sent as a credential. */
      readonly kind: 'auth-required';
    });

/** The question that the status of a task shows; `undefined` if the task is not paused. */
export function questionOf(task: Task): TaskQuestion | undefined {
  return questionsOf(task)[0];
}

/** All open questions of a task, the one that its status shows first. Agents made with this library list the others in its metadata. */
export function questionsOf(task: Task): readonly TaskQuestion[] {
  const { state, message } = task.status;
  if (!isPaused(state)) return [];
  const listed = listOf(task);
  // Agents list the shown question first. Not every protocol version carries the id of a message.
  const first = listed.find(({ id }) => id === message?.messageId) ?? listed[0];
  const id = typeof first?.['id'] === 'string' ? first['id'] : message?.messageId;
  const isAuth = state === 'TASK_STATE_AUTH_REQUIRED';
  const isSensitive = isAuth || message?.metadata?.[SENSITIVE] === true;
  const known = { id, path: pathOf(first), isSensitive };
  const shown = questionFrom(dataOf(task) ?? {}, textOfStatus(task.status), known, isAuth);
  return [shown, ...listed.filter((one) => one !== first).flatMap(listedQuestion)];
}

/** Whether the agent lists the open questions of a task, so that answers can name theirs. */
export function listsQuestions(task: Task): boolean {
  return listOf(task).length > 0;
}

function listOf({ status }: Task): readonly Record<string, unknown>[] {
  const list = status.message?.metadata?.[QUESTIONS.uri];
  const questions = isRecord(list) ? list['questions'] : undefined;
  return Array.isArray(questions) ? questions.filter(isRecord) : [];
}

function listedQuestion(listed: Record<string, unknown>): readonly TaskQuestion[] {
  const { id, text, kind } = listed;
  if (typeof id !== 'string' || typeof text !== 'string') return [];
  const isAuth = kind === 'auth-required';
  const facts = { id, path: pathOf(listed), isSensitive: isAuth || listed['sensitive'] === true };
  return [questionFrom(listed, text, facts, isAuth)];
}

function pathOf(listed: Record<string, unknown> | undefined): readonly string[] {
  const path = listed?.['path'];
  return Array.isArray(path) ? path.filter((name) => typeof name === 'string') : [];
}

/** @param given Its kind, text, options and schema, as far as the agent sent them. @param wholeText With its options or fields. */
function questionFrom(
  given: Record<string, unknown>,
  wholeText: string,
  known: Omit<QuestionFacts, 'text'>,
  isAuth: boolean,
): TaskQuestion {
  if (isAuth) return { kind: 'auth-required', text: wholeText, ...known };
  const facts = { text: typeof given['text'] === 'string' ? given['text'] : wholeText, ...known };
  if (given['kind'] === 'confirm') return { kind: 'confirm', ...facts };
  const options = given['options'];
  if (given['kind'] === 'choose' && isOptions(options)) return { kind: 'choose', ...facts, options };
  const { schema } = given;
  // A schema that the client cannot read makes it a question for text. The whole text lists what is asked for.
  if (!isAnswerSchema(schema)) return { kind: 'text', ...facts, text: wholeText };
  const { properties: fields, required = [] } = schema;
  if (fields !== undefined && Object.keys(fields).length > 0)
    return { kind: 'form', ...facts, fields, required, schema };
  return { kind: 'value', ...facts, schema };
}

/** The kind, options and schema of a question, as agents made with this library send them with the text. */
export function dataOf({ status }: Task): JsonObject | undefined {
  for (const part of status.message?.parts ?? []) {
    const question = 'data' in part && isRecord(part.data) ? part.data['question'] : undefined;
    if (isRecord(question)) return question;
  }
  return undefined;
}

type Options = Extract<TaskQuestion, { kind: 'choose' }>['options'];

function isOptions(options: unknown): options is Options {
  const isOption = (option: unknown): boolean =>
    isRecord(option) && typeof option['id'] === 'string' && typeof option['label'] === 'string';
  return Array.isArray(options) && options.length > 0 && options.every(isOption);
}

function isAnswerSchema(schema: unknown): schema is AnswerSchema {
  try {
    assertAnswerSchema(schema);
    return true;
  } catch {
    return false;
  }
}

/** The answer to a question: a value, or a whole message. */
export type AnswerInput = MessageInput | JsonInput;

/** The members of a message draft. Together with `text` or `parts` they make an object a message. */
const DRAFT_KEYS: ReadonlySet<string> = new Set<keyof MessageDraft>([
  'text',
  'parts',
  'messageId',
  'contextId',
  'taskId',
  'metadata',
  'extensions',
  'referenceTaskIds',
  'unknownMembers',
]);

function isDraft(answer: object): answer is MessageDraft {
  if (!('parts' in answer ? Array.isArray(answer.parts) : 'text' in answer && typeof answer.text === 'string'))
    return false;
  return Object.keys(answer).every((key) => DRAFT_KEYS.has(key));
}

/** Whether the question determines how an answer is sent. A form can have a field that is named `text`. */
export function dependsOnQuestion(answer: AnswerInput): boolean {
  return (
    typeof answer !== 'string' &&
    !(typeof answer === 'object' && answer !== null && 'parts' in answer && isDraft(answer))
  );
}

/**
 * The message that answers a question. A boolean or a number is sent as text if the question is for text, because the agent may
 * only read text.
 *
 * @param question The question, if it is known and the task asks one.
 * @throws A2AError `INVALID_PARAMS` for a value without a JSON form.
 */
export function answerMessage(
  answer: AnswerInput,
  question: TaskQuestion | undefined,
  isSensitive: boolean,
): MessageDraft {
  const draft = draftOf(answer, question);
  if (!isSensitive) return draft;
  const { text, parts = [], ...rest } = draft;
  const all = text === undefined ? parts : [{ text }, ...parts];
  return { ...rest, parts: all.map((part) => ({ ...part, metadata: { ...part.metadata, [SENSITIVE]: true } })) };
}

function draftOf(answer: AnswerInput, question: TaskQuestion | undefined): MessageDraft {
  if (typeof answer === 'string') return { text: answer };
  if (typeof answer === 'object' && answer !== null) {
    return isDraft(answer) && !isObjectAnswer(answer, question) ? answer : { parts: [{ data: answer }] };
  }
  const isData = question?.kind === 'confirm' || question?.kind === 'value';
  if (isData) return { parts: [{ data: answer }] };
  if (typeof answer === 'boolean') return { text: answer ? 'yes' : 'no' };
  if (typeof answer === 'number') return { text: String(answer) };
  if (answer === null) return { parts: [{ data: null }] };
  const expected = 'answer: expected a string, a boolean, a number, an object or a message';
  throw markNested(new A2AError('INVALID_PARAMS', `${expected}, got ${typeof answer}`));
}

/** A message that names the question that it answers. */
export function answering(message: MessageDraft, questionId: string): MessageDraft {
  return { ...message, metadata: { ...message.metadata, [QUESTIONS.uri]: { questionId } } };
}

/** Whether an object that looks like a message has the members that the question asks for. */
function isObjectAnswer(answer: object, question: TaskQuestion | undefined): boolean {
  if (question?.kind === 'value') return question.schema.type === 'object';
  return question?.kind === 'form' && Object.keys(answer).every((key) => Object.hasOwn(question.fields, key));
}
