import type { Clock } from '../../support/time/clock.ts';

/** The options of `memoryStore()`. */
export interface MemoryStoreOptions {
  /**
   * The maximum number of tasks, 100,000 if not set. Beyond it the store removes the tasks that ended first. It keeps four times
   * as many keys of requests, with their replies. Beyond that it removes the keys of removed tasks first, then the oldest keys.
   */
  readonly maxTasks?: number;
  /**
   * The approximate maximum size of all tasks in bytes, 256 MiB if not set. Beyond it the store removes the tasks that ended first.
   * If unfinished tasks alone take that much, or those of one caller half of it, the store rejects new tasks and messages with
   * `UNAVAILABLE`. It always stores the outputs of running tasks. The keys of requests, with their replies, may take another
   * quarter of it.
   */
  readonly maxBytes?: number;
  /** Replaces the system clock, for tests. */
  readonly clock?: Clock;
}
