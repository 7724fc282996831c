import { A2AError } from '../errors.ts';
import type { Log } from '../observe/log.ts';
import { newId } from '../support/id.ts';

/** What a stranger may see of an error. All else goes to the log, under an id that he can quote. */
export function publicError(error: unknown, log: Log): A2AError {
  if (isA2AError(error)) return error;
  const errorId = newId();
  log.error('A request failed', { errorId, error });
  return new A2AError('INTERNAL_ERROR', `Something went wrong here; the log has it as ${errorId}`, {
    details: { errorId },
  });
}

/** Errors can come from an author's code, where even looking at them may throw. */
function isA2AError(error: unknown): error is A2AError {
  try {
    return A2AError.is(error);
  } catch {
    return false;
  }
}
