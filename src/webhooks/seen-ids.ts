/**
 * Remembers which notifications were handled. Provide your own, such as a table, if several processes receive. An id is a text of
 * up to 600 characters, made of the task and the notification, so that the sender of one task cannot use up the ids of another.
 * A longer id is replaced by its SHA-256 digest.
 */
export interface SeenIds {
  has(id: string): boolean | Promise<boolean>;
  /** Called when a notification was handled, and not before. */
  add(id: string): void | Promise<void>;
}

/** The latest ids of this process, and no more than `max`. */
export function memorySeenIds(max = 10_000): SeenIds {
  const ids = new Set<string>();
  return {
    has: (id) => ids.has(id),
    add(id) {
      ids.add(id);
      // A set gives its members in the order in which they came.
      if (ids.size > max) for (const oldest of ids) return void ids.delete(oldest);
    },
  };
}
