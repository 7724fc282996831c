import { A2AError } from '../../errors.ts';
import { fairnessKeyOf } from '../store.ts';

/** The unfinished tasks of one caller may take one part of so many. */
const PARTS = 2;

/** When to try again if the store is full. The time at which a task ends is unknown. */
export const RETRY_MS = 5000;

/** Whose task it is: a record, or a task that is about to be made. */
type Owned = Parameters<typeof fairnessKeyOf>[0];

/**
 * Counts the bytes of unfinished tasks by caller, because nothing removes them while their caller does not finish them.
 * Each caller has a share. What runs write may exceed it; the excess takes no room from other callers.
 */
export class UnfinishedBytes {
  readonly #share: number;
  readonly #byCaller = new Map<string, number>();
  #excess = 0;

  /** `maxBytes`: what all tasks may take. */
  constructor(maxBytes: number) {
    this.#share = Math.floor(maxBytes / PARTS);
  }

  /** How much callers have above their shares, added up. */
  get excess(): number {
    return this.#excess;
  }

  /**
   * A caller without unfinished tasks may begin one of any size: it would never fit otherwise.
   *
   * @throws A2AError `UNAVAILABLE` if so many more bytes exceed the share of the caller.
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
        cause: new Error(`The unfinished tasks of one caller take ${held} bytes of the memory store, of ${bound}`),
      },
    );
  }

  /** Counts bytes that an unfinished task takes from now on; less than 0 if it takes fewer. */
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
