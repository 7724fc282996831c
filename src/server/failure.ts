import { A2AError } from '../errors.ts';
import type { Log } from '../observe/log.ts';
import { newId } from '../support/id.ts';

/** Errors quote what they are about, which can be as large as a body may be. */
const MAX_MESSAGE = 1000;
const MAX_DETAIL = 256;

/** A store that is away fails every request: one warning in this time says it all. */
const QUIET_MS = 1000;

/** Stands between what goes wrong here and whoever asked: he learns what he may know, the log learns the rest. */
export class Failures {
  readonly #log: Log;
  readonly #now: () => number;
  #lastWarning = Number.NEGATIVE_INFINITY;
  #leftOut = 0;

  constructor(log: Log, now: () => number = Date.now) {
    this.#log = log;
    this.#now = now;
  }

  /** What a stranger may see of an error. What is our fault goes to the log, under an id that he can quote. */
  publicError(error: unknown): A2AError {
    if (!isA2AError(error)) return this.#internal(error, 'Something went wrong here', {});
    const shown = isLong(error) ? shortened(error) : error;
    // Whoever made it: a store tells of its own in these words, with what only the log may have as the cause.
    if (error.code === 'INTERNAL_ERROR') return this.#internal(error, shown.message, shown.details);
    if (error.code === 'UNAVAILABLE' && error.cause !== undefined) this.#warn(error);
    return shown;
  }

  #internal(error: unknown, message: string, details: A2AError['details']): A2AError {
    const errorId = newId();
    this.#log.error('A request failed', { errorId, error });
    return new A2AError('INTERNAL_ERROR', `${message}; the log has it as ${errorId}`, {
      details: { ...details, errorId },
    });
  }

  #warn(error: A2AError): void {
    const now = this.#now();
    // Also if the time was set back.
    if (Math.abs(now - this.#lastWarning) < QUIET_MS) {
      this.#leftOut++;
      return;
    }
    this.#log.warn('A request could not be answered', {
      error,
      ...(this.#leftOut > 0 && { othersSinceTheLast: this.#leftOut }),
    });
    this.#lastWarning = now;
    this.#leftOut = 0;
  }
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
