import { A2AError, isNested } from '../errors.ts';
import { QuestionExpiredError } from './handler.ts';

/** The name under which the journal records a step's error that came from a call to another agent. */
const NESTED_NAME = 'NestedCallError';

/**
 * The text of a handler's error that the caller may read: the message of an `A2AError` that the handler created itself. All other
 * errors go to the log only, including an `A2AError` from a client call inside the handler. Reading a property of the error may
 * throw, because it comes from the author's code.
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
  // A replayed step error: the journal restores only its name and message.
  return error instanceof Error && error.name === 'A2AError' && !('code' in error);
}

/** What the journal records of a step's error. `publicText` must give the same result for the replayed error as for the original. */
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
