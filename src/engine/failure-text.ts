import { A2AError } from '../errors.ts';
import { QuestionExpiredError } from './handler.ts';

/** What a caller may read of an error, if anything. It comes from a stranger's code: even looking at it may throw. */
export function publicText(error: unknown): string | undefined {
  try {
    return error instanceof QuestionExpiredError || A2AError.is(error) ? textOf(error.message) : undefined;
  } catch {
    return undefined;
  }
}

/** What is kept of the error of a step. */
export function plainError(error: unknown): { readonly name: string; readonly message: string } {
  try {
    return error instanceof Error
      ? { name: textOf(error.name), message: textOf(error.message) }
      : { name: 'Error', message: String(error) };
  } catch {
    return { name: 'Error', message: 'The step failed' };
  }
}

function textOf(value: unknown): string {
  return String(value);
}
