import { A2AError, type ErrorCode, ERRORS, isNested, markNested } from '../../errors.ts';
import type { JsonObject } from '../../model/json.ts';
import { INPUT_TIMEOUT, TOOL_EXECUTION_FAILED, TOOL_FAILURE } from '../../model/question.ts';
import { QuestionCanceledError, QuestionExpiredError } from '../handler.ts';

/**
 * Returns the text of a handler's error that the caller may read: the message of an `A2AError` that the handler created
 * itself. All other errors are only logged, including an `A2AError` from a client call inside the handler. Reading a
 * property of the error may throw, because it comes from user code.
 */
export function publicText(error: unknown): string | undefined {
  try {
    const isUnanswered = error instanceof QuestionExpiredError || error instanceof QuestionCanceledError;
    const isForCallers = isUnanswered || (A2AError.is(error) && !isNested(error));
    return isForCallers ? textOf(error.message) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The metadata of the last event of a failed task: whether its question was not answered in time, or a tool failed. Takes only
 * errors that have a `publicText`.
 */
export function failureMetadata(error: unknown): JsonObject | undefined {
  if (error instanceof QuestionExpiredError) {
    const { timeoutMs } = error;
    return { [INPUT_TIMEOUT]: timeoutMs === undefined ? {} : { timeoutSeconds: timeoutMs / 1000 } };
  }
  if (!A2AError.is(error) || error.details['reason'] !== TOOL_EXECUTION_FAILED) return undefined;
  const { reason: _, ...details } = error.details;
  return { [TOOL_FAILURE]: details };
}

/** The error of a step as the journal records it. */
export interface RecordedError {
  readonly name: string;
  readonly message: string;
  /** The code of an `A2AError`. */
  readonly code?: ErrorCode;
  readonly details?: A2AError['details'];
  /** Whether the error comes from a call to another agent. */
  readonly isNested?: true;
}

export function recordError(error: unknown): RecordedError {
  try {
    if (!(error instanceof Error)) return { name: 'Error', message: String(error) };
    const plain = { name: textOf(error.name), message: textOf(error.message) };
    if (!A2AError.is(error)) return plain;
    const { code, details } = error;
    const known = { ...plain, code, ...(Object.keys(details).length > 0 && { details: { ...details } }) };
    return isNested(error) ? { ...known, isNested: true } : known;
  } catch {
    return { name: 'Error', message: 'The step failed' };
  }
}

/** Recreates the error of a step for a replay, so that a handler that inspects it takes the same decision again. */
export function restoreError({ name, message, code, details, isNested: isOfCall }: RecordedError): Error {
  if (code === undefined || !Object.hasOwn(ERRORS, code)) return Object.assign(new Error(message), { name });
  const error = new A2AError(code, message, details === undefined ? {} : { details });
  return isOfCall === true ? markNested(error) : error;
}

function textOf(value: unknown): string {
  return String(value);
}
