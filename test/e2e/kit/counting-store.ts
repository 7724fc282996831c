import type { Store } from '../../../src/store/store.ts';

/** The methods that requests call, without those that an engine calls in the background. */
const REQUEST_METHODS: ReadonlySet<PropertyKey> = new Set([
  'create',
  'append',
  'read',
  'list',
  'events',
  'journal',
  'resolveAlias',
  'pushConfigs',
  'putPushConfig',
  'deletePushConfig',
]);

export interface CountingStore {
  readonly store: Store;
  /** Runs `work` and returns the names of the methods that were called meanwhile, in order. */
  during<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly calls: readonly string[] }>;
}

/** A store that records the calls of its methods. */
export function countingStore(inner: Store): CountingStore {
  let calls: string[] = [];
  const store = new Proxy(inner, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return (...args: readonly unknown[]): unknown => {
        if (REQUEST_METHODS.has(name)) calls.push(String(name));
        return Reflect.apply(member, target, args) as unknown;
      };
    },
  });
  return {
    store,
    async during(work) {
      calls = [];
      const result = await work();
      return { result, calls };
    },
  };
}
