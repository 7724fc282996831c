import { afterAll, beforeEach, onTestFinished } from 'vitest';
import type { Store } from '../../src/store/store.ts';
import type { Clock } from '../../src/support/time/clock.ts';
import { TestSchema } from './schemas.ts';

const schema = new TestSchema();

/** The pending calls of this test. */
let pending = new Set<Promise<unknown>>();

beforeEach(() => {
  pending = new Set();
  return schema.empty();
});
afterAll(() => schema.drop());

/** An empty store for the tests of the engine. */
export function openEngineStore(clock: Clock): Store {
  const store = schema.open({ clock });
  onTestFinished(() => store.close());
  return tracked(store);
}

/** Waits until no call is pending: calls that are synchronous in other stores take a few round trips here. */
export async function quiet(): Promise<void> {
  while (pending.size > 0) await Promise.allSettled(pending);
}

/** The same store, whose calls are tracked until they settle. */
function tracked(store: Store): Store {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]): unknown => {
        const result: unknown = Reflect.apply(member, target, args);
        if (!(result instanceof Promise)) return result;
        const calls = pending;
        calls.add(result);
        void Promise.allSettled([result]).then(() => calls.delete(result));
        return result;
      };
    },
  });
}
