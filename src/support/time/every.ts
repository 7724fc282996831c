import type { Clock } from './clock.ts';
import type { Timers } from './timers.ts';

/** Calls a function periodically until the returned function is called. */
export function every(ms: number, { clock, timers }: { clock: Clock; timers: Timers }, call: () => void): () => void {
  let disarm: () => void;
  const arm = (): void => {
    disarm = timers.add(clock.now() + ms, () => {
      arm();
      call();
    });
  };
  arm();
  return () => disarm();
}
