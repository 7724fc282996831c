/** Calls functions at given times. */
export interface Timers {
  /** Calls `run` once at or after the given time. The returned function cancels it. */
  add(time: number, run: () => void): () => void;
  /** Cancels all timers. */
  clear(): void;
}
