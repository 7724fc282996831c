import { getEventListeners } from 'node:events';
import { onTestFinished } from 'vitest';
import { Feed } from '../../src/engine/feed.ts';
import { NodeRequest } from '../../src/node/node-request.ts';

export interface ListenerCounts {
  /** How many listen to a task, and how many for a caller's leaving. */
  count(): readonly [feed: number, signals: number];
}

/** Counts who listens in this process, from now to the end of the test. Keeps nothing alive that it counts. */
export function watchListeners(): ListenerCounts {
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
  const signals = new Set<WeakRef<AbortSignal>>();
  const known = new WeakSet<AbortSignal>();
  replace(NodeRequest.prototype, 'signal', ({ get }) => ({
    get(this: NodeRequest) {
      const signal = get?.call(this) as AbortSignal;
      if (!known.has(signal)) signals.add(new WeakRef(signal));
      known.add(signal);
      return signal;
    },
  }));
  const heard = (): number => {
    let sum = 0;
    for (const reference of signals) {
      const signal = reference.deref();
      const count = signal === undefined ? 0 : getEventListeners(signal, 'abort').length;
      sum += count;
      if (signal === undefined || (count === 0 && signal.aborted)) signals.delete(reference);
    }
    return sum;
  };
  return { count: () => [listeners, heard()] };
}

/** Not by a spy: that would keep all it was called with. */
function replace(prototype: object, name: string, change: (property: PropertyDescriptor) => PropertyDescriptor): void {
  const property = Object.getOwnPropertyDescriptor(prototype, name);
  if (property === undefined) throw new Error(`There is no ${name}`);
  Object.defineProperty(prototype, name, { ...property, ...change(property) });
  onTestFinished(() => void Object.defineProperty(prototype, name, property));
}
