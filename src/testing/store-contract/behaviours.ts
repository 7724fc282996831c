import type { Store } from '../../store/store.ts';
import type { FakeClock } from '../fake-clock.ts';

/** The subject of a test: a store of its own, and its clock. */
export interface Subject {
  readonly store: Store;
  readonly clock: FakeClock;
  /** Closes the store and opens its data again. */
  reopen(): Promise<Store>;
}

/** Tests of a store by title. */
export type Behaviours = Readonly<Record<string, (subject: Subject) => Promise<void>>>;
