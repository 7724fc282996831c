import { onTestFinished } from 'vitest';
import { Feed } from '../../src/engine/stream/feed.ts';
import { Leaving } from '../../src/support/leave-signal.ts';

export interface ListenerCounts {
  /** The number of listeners to tasks, and of listeners to the disconnection of a caller. */
  count(): readonly [feed: number, signals: number];
}

/** Counts the listeners in this process, from now to the end of the test. Keeps nothing alive that it counts. */
export function countListeners(): ListenerCounts {
  let listeners = 0;
  replace(Feed.prototype, 'listen', ({ value }) => ({
    value: function listen(this: Feed, ...args: Parameters<Feed['listen']>) {
      const stop = (value as Feed['listen']).apply(this, args);
      let isOver = false;
      listeners++;
      return () => {
        if (!isOver) listeners--;
        isOver = true;
        stop();
      };
    },
  }));
  let signals = 0;
  const known = new WeakMap<Leaving, Set<() => void>>();
  const listenersOf = (signal: Leaving): Set<() => void> => {
    const listeners = known.get(signal) ?? new Set();
    known.set(signal, listeners);
    return listeners;
  };
  replace(Leaving.prototype, 'addEventListener', ({ value }) => ({
    value: function addEventListener(this: Leaving, type: 'abort', listener: () => void) {
      (value as Leaving['addEventListener']).call(this, type, listener);
      if (this.aborted || listenersOf(this).has(listener)) return;
      listenersOf(this).add(listener);
      signals++;
    },
  }));
  replace(Leaving.prototype, 'removeEventListener', ({ value }) => ({
    value: function removeEventListener(this: Leaving, type: 'abort', listener: () => void) {
      (value as Leaving['removeEventListener']).call(this, type, listener);
      if (listenersOf(this).delete(listener)) signals--;
    },
  }));
  replace(Leaving.prototype, 'leave', ({ value }) => ({
    value: function leave(this: Leaving) {
      signals -= this.aborted ? 0 : listenersOf(this).size;
      listenersOf(this).clear();
      (value as Leaving['leave']).call(this);
    },
  }));
  return { count: () => [listeners, signals] };
}

/** Does not use a spy, because a spy would keep all arguments alive. */
function replace(prototype: object, name: string, change: (property: PropertyDescriptor) => PropertyDescriptor): void {
  const property = Object.getOwnPropertyDescriptor(prototype, name);
  if (property === undefined) throw new Error(`There is no ${name}`);
  Object.defineProperty(prototype, name, { ...property, ...change(property) });
  onTestFinished(() => void Object.defineProperty(prototype, name, property));
}
