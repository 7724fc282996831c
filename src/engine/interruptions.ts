import { A2AError } from '../errors.ts';
import type { TaskRecord } from '../store/store.ts';
import type { Core } from './core.ts';
import type { GiveBack } from './give-backs.ts';
import type { Runnable } from './runnable.ts';

/** The pause after a failure, doubled with each one that follows. */
const FIRST_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 60_000;
/** Tasks of which it is known how often they failed here; of the others it is not worth the memory. */
const MAX_KNOWN = 10_000;

interface Return {
  readonly how: GiveBack;
  readonly delayMs: number;
}

/**
 * What becomes of runs that their store has interrupted. A store that is away says nothing about the task: such an attempt
 * does not count, however long it lasts, and the task goes on within the time that it would take if this node had died.
 * A store that works and refuses what the run has to say will refuse it again, so that this counts as any other attempt.
 */
export class Interruptions {
  readonly #leaseMs: number;
  /** How often in a row the store was away for a task, the longest known first. */
  readonly #counts = new Map<string, number>();

  constructor({ leaseMs }: Pick<Core, 'leaseMs'>) {
    this.#leaseMs = leaseMs;
  }

  /** Not at once: what failed now would fail again. */
  giveBackAfter({ limits }: Pick<Runnable, 'limits'>, { id, attempts }: TaskRecord, cause: unknown): Return {
    if (!A2AError.is(cause, 'UNAVAILABLE')) {
      return { how: 'revoke', delayMs: pauseAfter(attempts - 1, MAX_PAUSE_MS) };
    }
    const failures = this.#counts.get(id) ?? 0;
    this.#count(id, failures + 1);
    // The lease may have waited to be given back, too.
    const delayMs = pauseAfter(failures, this.#leaseMs / 3);
    return { how: limits.recovery === 'fail' ? 'revoke' : 'undo', delayMs };
  }

  /** A run of the task has come to rest here. */
  forget(taskId: string): void {
    this.#counts.delete(taskId);
  }

  #count(taskId: string, failures: number): void {
    this.#counts.delete(taskId);
    this.#counts.set(taskId, failures);
    if (this.#counts.size <= MAX_KNOWN) return;
    for (const oldest of this.#counts.keys()) {
      this.#counts.delete(oldest);
      break;
    }
  }
}

function pauseAfter(failures: number, maxMs: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** failures, maxMs);
}
