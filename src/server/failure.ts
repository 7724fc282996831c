import { A2AError } from '../errors.ts';
import type { Log } from '../observe/log.ts';
import { newId } from '../support/id.ts';

/** Errors quote what they are about, which can be as large as a body may be. */
const MAX_MESSAGE = 1000;
const MAX_DETAIL = 256;

/** What a stranger may see of an error. All else goes to the log, under an id that he can quote. */
export function publicError(error: unknown, log: Log): A2AError {
  if (isA2AError(error)) return isLong(error) ? shortened(error) : error;
  const errorId = newId();
  log.error('A request failed', { errorId, error });
  return new A2AError('INTERNAL_ERROR', `Something went wrong here; the log has it as ${errorId}`, {
    details: { errorId },
  });
}

function isLong({ message, details }: A2AError): boolean {
  if (message.length > MAX_MESSAGE) return true;
  for (const name in details) if ((details[name] ?? '').length > MAX_DETAIL) return true;
  return false;
}

function shortened({ code, message, details, violations, retryAfterMs, cause }: A2AError): A2AError {
  const short = Object.entries(details).map(([name, value]) => [name, cut(value, MAX_DETAIL)] as const);
  return new A2AError(code, cut(message, MAX_MESSAGE), {
    details: Object.fromEntries(short),
    violations,
    cause,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}

/** Errors can come from an author's code, where even looking at them may throw. */
function isA2AError(error: unknown): error is A2AError {
  try {
    return A2AError.is(error);
  } catch {
    return false;
  }
}
