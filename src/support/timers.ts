/** What calls back at given times. */
export interface Timers {
  /** Calls `run` once at or after the given time. The returned function takes it back. */
  add(time: number, run: () => void): () => void;
  /** Takes back all. */
  clear(): void;
}
