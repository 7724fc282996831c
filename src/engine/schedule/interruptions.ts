import { A2AError } from '../../errors.ts';
import type { TaskRecord } from '../../store/store.ts';
import type { EngineContext } from '../engine-context.ts';
import type { ReleaseMode } from './lease-releases.ts';
import type { Runnable } from '../runnable.ts';

/** The pause after a failure. It doubles with each further failure. */
const FIRST_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 60_000;
/** How many tasks have a failure count; the oldest counts are dropped. */
const MAX_KNOWN = 10_000;

interface Return {
  readonly how: ReleaseMode;
  readonly delayMs: number;
}

/**
 * Decides how runs continue after a failure of the store. If the store is unavailable, the attempt does not count, however
 * long the outage lasts, and the task resumes within the time it would take if this node had died. If the store works but
 * rejects the writes of the run, it will reject them again, so the attempt counts.
 */
export class Interruptions {
  readonly #leaseMs: number;
  /** Consecutive failures per task, the oldest first. */
  readonly #counts = new Map<string, number>();

  constructor({ leaseMs }: Pick<EngineContext, 'leaseMs'>) {
    this.#leaseMs = leaseMs;
  }

  /** How to release the lease, and after which pause: an immediate retry would fail again. */
  releaseAfter({ limits }: Pick<Runnable, 'limits'>, { id, attempts }: TaskRecord, cause: unknown): Return {
    if (!A2AError.is(cause, 'UNAVAILABLE')) {
      return { how: 'revoke', delayMs: pauseAfter(attempts - 1, MAX_PAUSE_MS) };
    }
    const failures = this.#counts.get(id) ?? 0;
    this.#count(id, failures + 1);
    // A third of the lease period, because the release itself may also be delayed.
    const delayMs = pauseAfter(failures, this.#leaseMs / 3);
    return { how: limits.recovery === 'fail' ? 'revoke' : 'undo', delayMs };
  }

  /** Forgets the failures of a task whose run has ended or paused. */
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
