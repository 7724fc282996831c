import { assertAnswerSchema, type AnswerSchema } from '../../model/answer-schema.ts';
import { QUESTIONS, SENSITIVE } from '../../model/question.ts';
import { textOfStatus } from '../../model/task-text.ts';
import { isRecord } from '../../support/json/to-json.ts';
import type { Writable } from '../../support/writable.ts';
import type { ChooseOption } from '../handler.ts';
import type { PreparedQuestion } from '../questions/question.ts';
import type { CallQuestion } from './call.ts';
import type { CallQuestionEntry } from './call-request.ts';

/** A question of a child, as its parent asks it. The answer is checked here and sent to the child as it is. */
export function preparedQuestion({ state, message, problem }: CallQuestionEntry): PreparedQuestion {
  const data = questionData(message.parts);
  const parts = problem === undefined ? message.parts : [{ text: problem }, ...message.parts];
  const isAuthorization = state === 'TASK_STATE_AUTH_REQUIRED';
  const question: Writable<PreparedQuestion> = {
    gives: 'message',
    sensitive: isAuthorization || message.metadata?.[SENSITIVE] === true,
    parts,
  };
  if (isAuthorization) return { ...question, credential: 'marked' };
  const schema = data?.['schema'];
  if (isAnswerSchema(schema)) question.schema = schema;
  const options = data?.['options'];
  if (question.schema !== undefined && isOptions(options)) question.options = options;
  return question;
}

/** The names of the agents that a question has passed, from the called one to the asking one. */
export function pathOf({ message: { messageId, metadata } }: CallQuestionEntry, peer: string): readonly string[] {
  const list = metadata?.[QUESTIONS.uri];
  const questions: readonly unknown[] = isRecord(list) && Array.isArray(list['questions']) ? list['questions'] : [];
  const shown = questions.find((question) => isRecord(question) && question['id'] === messageId);
  const path: unknown = isRecord(shown) ? shown['path'] : undefined;
  return Array.isArray(path) ? [peer, ...path.map(String)] : [peer];
}

/** A question of a child for the handler of its parent. */
export function questionForHandler({ message }: CallQuestionEntry, path: readonly string[]): CallQuestion {
  const data = questionData(message.parts);
  const kind = data?.['kind'];
  const text = data?.['text'];
  return {
    text: typeof text === 'string' ? text : textOfStatus({ state: 'TASK_STATE_INPUT_REQUIRED', message }),
    kind: typeof kind === 'string' ? kind : 'text',
    parts: message.parts,
    path,
  };
}

function questionData(parts: CallQuestionEntry['message']['parts']): Record<string, unknown> | undefined {
  for (const part of parts) {
    const question = 'data' in part && isRecord(part.data) ? part.data['question'] : undefined;
    if (isRecord(question)) return question;
  }
  return undefined;
}

function isAnswerSchema(schema: unknown): schema is AnswerSchema {
  try {
    assertAnswerSchema(schema);
    return true;
  } catch {
    return false;
  }
}

function isOptions(options: unknown): options is readonly ChooseOption[] {
  const isOption = (option: unknown): boolean =>
    isRecord(option) && typeof option['id'] === 'string' && typeof option['label'] === 'string';
  return Array.isArray(options) && options.length > 0 && options.every(isOption);
}
