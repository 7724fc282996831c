import { afterAll, beforeEach, onTestFinished } from 'vitest';
import type { Store } from '../../src/store/store.ts';
import type { Clock } from '../../src/support/time/clock.ts';
import { TestSchema } from './schemas.ts';

const schema = new TestSchema();

/** The calls of this test that have not been answered. */
let underWay = new Set<Promise<unknown>>();

beforeEach(() => {
  underWay = new Set();
  return schema.empty();
});
afterAll(() => schema.drop());

/** An empty store for the tests of the engine. */
export function openEngineStore(clock: Clock): Store {
  const store = schema.open({ clock });
  onTestFinished(() => store.close());
  return counted(store);
}

/** Waits until no store has anything under way: what other stores do at once takes this one a few round trips. */
export async function quiet(): Promise<void> {
  while (underWay.size > 0) await Promise.allSettled(underWay);
}

/** The same store, with its calls counted while they last. */
function counted(store: Store): Store {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...given: unknown[]): unknown => {
        const result: unknown = Reflect.apply(member, target, given);
        if (!(result instanceof Promise)) return result;
        const calls = underWay;
        calls.add(result);
        void Promise.allSettled([result]).then(() => calls.delete(result));
        return result;
      };
    },
  });
}
