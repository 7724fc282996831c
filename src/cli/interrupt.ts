import { constants } from 'node:os';
import { now } from './now.ts';

/** One Ctrl-C can arrive twice, from the terminal and through npm or tsx. */
const SAME_SIGNAL_MS = 300;

type StopSignal = 'SIGINT' | 'SIGTERM';

/**
 * Calls the listener at the first signal. The second one ends the process at once.
 *
 * @returns A function that stops listening.
 */
export function onStopSignal(signals: readonly StopSignal[], listener: () => void): () => void {
  let firstAt: number | undefined;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (firstAt === undefined) {
      firstAt = now();
      listener();
    } else if (now() - firstAt > SAME_SIGNAL_MS) {
      process.exit(exitCodeOf(signal as StopSignal));
    }
  };
  for (const signal of signals) process.on(signal, onSignal);
  return () => {
    for (const signal of signals) process.off(signal, onSignal);
  };
}

/** Returns the exit code that a shell reports for a process that was ended by a signal. */
export function exitCodeOf(signal: StopSignal): number {
  return 128 + constants.signals[signal];
}
