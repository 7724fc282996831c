import { A2AError } from '../../errors.ts';
import { fairnessKeyOf } from '../store.ts';

/** The share of one caller is `maxBytes` divided by this. */
const PARTS = 2;

/** The retry delay if the store is full. The time at which a task ends is unknown. */
export const RETRY_MS = 5000;

/** A record or a new task. */
type Owned = Parameters<typeof fairnessKeyOf>[0];

/**
 * Counts the bytes of unfinished tasks by caller, because nothing removes such tasks until they end. Each caller has a share.
 * Outputs of runs may exceed it, and the excess takes no room from other callers.
 */
export class UnfinishedBytes {
  readonly #share: number;
  readonly #byCaller = new Map<string, number>();
  #excess = 0;

  /** @param maxBytes The maximum size of all tasks. */
  constructor(maxBytes: number) {
    this.#share = Math.floor(maxBytes / PARTS);
  }

  /** The sum of what callers have above their shares. */
  get excess(): number {
    return this.#excess;
  }

  /**
   * A caller without unfinished tasks may start one of any size, because otherwise it would never fit.
   *
   * @throws A2AError `UNAVAILABLE` if that many more bytes exceed the share of the caller.
   */
  assertRoom(task: Owned, bytes: number): void {
    const held = this.#byCaller.get(fairnessKeyOf(task)) ?? 0;
    if (held === 0 || held + bytes <= this.#share) return;
    const bound = `${this.#share} (half of maxBytes)`;
    throw new A2AError(
      'UNAVAILABLE',
      "Your unfinished tasks take as much of the agent's memory as one caller may have. Nothing was stored. " +
        'Wait until some of them end, or cancel some, and send the message again.',
      {
        retryAfterMs: RETRY_MS,
        cause: new Error(
          `The unfinished tasks of one caller take ${held} bytes of the memory store; the limit is ${bound}`,
        ),
      },
    );
  }

  /** Adds to the size of the unfinished tasks of a caller. Negative if it shrinks. */
  add(task: Owned, bytes: number): void {
    if (bytes === 0) return;
    const key = fairnessKeyOf(task);
    const before = this.#byCaller.get(key) ?? 0;
    const after = before + bytes;
    this.#excess += Math.max(0, after - this.#share) - Math.max(0, before - this.#share);
    if (after > 0) this.#byCaller.set(key, after);
    else this.#byCaller.delete(key);
  }
}
