/**
 * Remembers handled notifications. If several processes receive notifications, implement it with a shared table. An id has up to
 * 600 characters and contains the task and the notification, so that the sender of one task cannot use up the ids of another. A
 * longer id is replaced by its SHA-256 digest.
 */
export interface SeenIds {
  /** Whether a notification with this id was handled. */
  has(id: string): boolean | Promise<boolean>;
  /** Called after `onEvent` has succeeded. */
  add(id: string): void | Promise<void>;
}

/** Remembers the latest `max` ids in memory, 10,000 by default. They are lost when the process ends. */
export function memorySeenIds(max = 10_000): SeenIds {
  const ids = new Set<string>();
  return {
    has: (id) => ids.has(id),
    add(id) {
      ids.add(id);
      // A set iterates in insertion order.
      if (ids.size > max) for (const oldest of ids) return void ids.delete(oldest);
    },
  };
}
