import type { Clock } from '../time/clock.ts';
import { onAbort } from '../on-abort.ts';

export class TimeLimitPassed extends Error {
  override readonly name = 'TimeLimitPassed';

  constructor(ms: number) {
    super(`No response within ${ms / 1000} s`);
  }
}

/**
 * Runs `work` with a signal that aborts when the time is over or the signal of the caller aborts. An aborted request fails
 * with different errors, depending on its progress. All of them are replaced by the reason of the signal.
 */
export async function withinTime<T>(
  clock: Clock,
  ms: number,
  caller: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const abort = new AbortController();
  const forget = caller && onAbort(caller, () => abort.abort(caller.reason));
  const cancel = clock.callAt(clock.now() + ms, () => abort.abort(new TimeLimitPassed(ms)));
  try {
    return await work(abort.signal);
  } catch (error) {
    throw abort.signal.aborted ? (abort.signal.reason as Error) : error;
  } finally {
    cancel();
    forget?.();
  }
}
