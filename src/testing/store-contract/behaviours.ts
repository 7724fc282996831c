import type { Store } from '../../store/store.ts';
import type { FakeClock } from '../fake-clock.ts';

/** What a behaviour is checked on: a store of its own, and the clock that it was given. */
export interface Subject {
  readonly store: Store;
  readonly clock: FakeClock;
  /** Closes the store and opens what it has left behind. */
  reopen(): Promise<Store>;
}

/** What a store does, in a sentence, and the check of it. */
export type Behaviours = Readonly<Record<string, (subject: Subject) => Promise<void>>>;
