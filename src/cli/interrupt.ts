import { constants } from 'node:os';
import { now } from './now.ts';

/** One press of Ctrl-C may arrive twice, from the terminal and through npm or tsx. */
const SAME_SIGNAL_MS = 300;

type StopSignal = 'SIGINT' | 'SIGTERM';

/**
 * Calls the listener at the first signal. The second ends the process, at once and as if nobody listened to it.
 *
 * @returns A function that stops listening.
 */
export function onStopSignal(signals: readonly StopSignal[], listener: () => void): () => void {
  let firstAt: number | undefined;
  const hear = (signal: NodeJS.Signals): void => {
    if (firstAt === undefined) {
      firstAt = now();
      listener();
    } else if (now() - firstAt > SAME_SIGNAL_MS) {
      process.exit(exitCodeOf(signal as StopSignal));
    }
  };
  for (const signal of signals) process.on(signal, hear);
  return () => {
    for (const signal of signals) process.off(signal, hear);
  };
}

/** What a shell says of a process that a signal has ended. */
export function exitCodeOf(signal: StopSignal): number {
  return 128 + constants.signals[signal];
}
