import type { WatchListener } from './store.ts';

/** Notifies all watchers about a write. The write is stored, so an error of a listener has no effect. */
export function notifyWatchers(watchers: Iterable<WatchListener>, ...hint: Parameters<WatchListener>): void {
  for (const listener of watchers) {
    try {
      listener(...hint);
    } catch {
      // Only a hint was lost.
    }
  }
}
