import { A2AError, isNested } from '../errors.ts';
import { QuestionExpiredError } from './handler.ts';

/** What the journal calls an error that a step got from another agent. */
const NESTED_NAME = 'NestedCallError';

/**
 * What a caller may read of an error that a handler threw: the message of an `A2AError` that the handler made itself. All else
 * is for the log, also an `A2AError` of a client that the handler has called. The error comes from the author's code: even
 * looking at it may throw.
 */
export function publicText(error: unknown): string | undefined {
  try {
    return isForCallers(error) ? textOf(error.message) : undefined;
  } catch {
    return undefined;
  }
}

function isForCallers(error: unknown): error is Error {
  if (error instanceof QuestionExpiredError) return true;
  if (A2AError.is(error)) return !isNested(error);
  // From the journal: of the error of a step only its name and its message come back.
  return error instanceof Error && error.name === 'A2AError' && !('code' in error);
}

/** What is kept of the error of a step. A replay has to decide as the first attempt did what callers may read of it. */
export function plainError(error: unknown): { readonly name: string; readonly message: string } {
  try {
    return error instanceof Error
      ? {
          name: A2AError.is(error) && isNested(error) ? NESTED_NAME : textOf(error.name),
          message: textOf(error.message),
        }
      : { name: 'Error', message: String(error) };
  } catch {
    return { name: 'Error', message: 'The step failed' };
  }
}

function textOf(value: unknown): string {
  return String(value);
}
