import type { Store } from '../../store/store.ts';

/** A call of the store that has succeeded. */
export interface StoreCall {
  readonly method: string;
  readonly args: readonly unknown[];
  readonly result: unknown;
}

/** The view that one simulated process has of a store. */
export interface ProcessStore {
  readonly store: Store;
  /** Whether a call is in progress. */
  readonly isBusy: boolean;
  /** The number of calls so far. */
  readonly calls: number;
  /** The name of the node that has sent a heartbeat. */
  readonly node: string | undefined;
  /** Cuts the process off: calls have no effect and no result from now on, so its code stops where it is. */
  kill(): void;
}

/** @param onCall Called after each successful call of a living process. */
export function processStore(store: Store, onCall: (call: StoreCall) => void): ProcessStore {
  const unwatches = new Set<() => void>();
  let isDead = false;
  let open = 0;
  let calls = 0;
  let node: string | undefined;

  const call = async (method: string, args: readonly unknown[], run: () => unknown): Promise<unknown> => {
    if (isDead) return never();
    if (method === 'heartbeat') node = args[0] as string;
    calls++;
    open++;
    try {
      const result = await run();
      if (!isDead) onCall({ method, args, result });
      return isDead ? await never() : result;
    } catch (error) {
      if (isDead) return await never();
      throw error;
    } finally {
      open--;
    }
  };

  const watch: Store['watch'] = (listener) => {
    const unwatch = store.watch(listener);
    unwatches.add(unwatch);
    return () => {
      unwatches.delete(unwatch);
      unwatch();
    };
  };

  const proxy = new Proxy(store, {
    get(target, name) {
      if (name === 'watch') return watch;
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => call(String(name), args, () => member.apply(target, args) as unknown);
    },
  });

  return {
    store: proxy,
    get isBusy() {
      return open > 0;
    },
    get calls() {
      return calls;
    },
    get node() {
      return node;
    },
    kill() {
      isDead = true;
      for (const unwatch of unwatches) unwatch();
    },
  };
}

function never(): Promise<never> {
  return new Promise<never>(() => {});
}
