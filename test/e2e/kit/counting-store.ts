import type { Store } from '../../../src/store/store.ts';

/** What requests do to a store, apart from what engines do by themselves. */
const LOOKS: ReadonlySet<PropertyKey> = new Set([
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
  /** What was asked of it meanwhile, in order. */
  during<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly calls: readonly string[] }>;
}

/** A store that takes down what it is asked. */
export function countingStore(inner: Store): CountingStore {
  let calls: string[] = [];
  const store = new Proxy(inner, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return (...args: readonly unknown[]): unknown => {
        if (LOOKS.has(name)) calls.push(String(name));
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
