import type { Clock } from '../support/clock.ts';
import { onAbort } from '../support/on-abort.ts';

/** The time for something has passed. */
export class TimeLimitPassed extends Error {
  override readonly name = 'TimeLimitPassed';

  constructor(ms: number) {
    super(`It did not answer within ${ms / 1000} s`);
  }
}

/**
 * Does something that listens to a signal, which comes when the time is over or the caller's own signal does. What was cut
 * off by it says so in many ways, depending on how far it was: all of them are told as the reason of the signal.
 */
export async function withinTime<T>(
  clock: Clock,
  ms: number,
  caller: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const abort = new AbortController();
  const forget = onAbort(caller, () => abort.abort(caller.reason));
  const cancel = clock.callAt(clock.now() + ms, () => abort.abort(new TimeLimitPassed(ms)));
  try {
    return await work(abort.signal);
  } catch (error) {
    throw abort.signal.aborted ? (abort.signal.reason as Error) : error;
  } finally {
    cancel();
    forget();
  }
}
