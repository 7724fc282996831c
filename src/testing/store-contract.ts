import type { Store } from '../store/store.ts';
import type { Clock } from '../support/time/clock.ts';
import { fakeClock } from './fake-clock.ts';
import { callOutbox, durableCalls } from './store-contract/calls/call-outbox.ts';
import { openCalls } from './store-contract/calls/open-calls.ts';
import { claiming } from './store-contract/claims/claiming.ts';
import { creating } from './store-contract/creating.ts';
import { deadLetters, durableDeadLetters } from './store-contract/push/dead-letters.ts';
import { durability } from './store-contract/durability.ts';
import { ending } from './store-contract/ending.ts';
import { durableFairClaims, fairClaims } from './store-contract/claims/fair-claims.ts';
import { guards } from './store-contract/guards.ts';
import { historyBytes } from './store-contract/history-bytes.ts';
import { idempotency } from './store-contract/idempotency.ts';
import { leases } from './store-contract/claims/leases.ts';
import { listing } from './store-contract/listing.ts';
import { names } from './store-contract/names.ts';
import { numbering } from './store-contract/numbering.ts';
import { durableOutbox, outbox } from './store-contract/push/outbox.ts';
import { paging } from './store-contract/paging.ts';
import { provisional } from './store-contract/provisional.ts';
import { durablePushConfigs, pushConfigLife } from './store-contract/push/push-config-life.ts';
import { purging } from './store-contract/purging.ts';
import { pushConfigs } from './store-contract/push/push-configs.ts';
import { randomCalls } from './store-contract/random-calls.ts';
import { retention } from './store-contract/retention.ts';
import { START } from './store-contract/samples.ts';
import { scopes } from './store-contract/scopes.ts';
import { type Behaviours, Subject } from './store-contract/subject.ts';
import { suspects } from './store-contract/claims/suspects.ts';
import { texts } from './store-contract/texts.ts';
import { tokenBuckets } from './store-contract/token-buckets.ts';
import { values } from './store-contract/values.ts';
import { watching } from './store-contract/watching.ts';
import { writing } from './store-contract/writing.ts';

/** Options of `storeContract()`. */
export interface StoreContractOptions {
  /** Registers one test: `test` of vitest, of `node:test`, or of any runner with that signature. */
  readonly test: (name: string, run: () => Promise<void>) => unknown;
  /** Opens an empty store that uses `clock` as its clock. The contract closes it. */
  readonly open: (context: OpenContext) => Store | Promise<Store>;
  /** For durable stores: opens the data of a closed store again. Adds the tests for durability. */
  readonly reopen?: (closed: Store, context: OpenContext) => Store | Promise<Store>;
}

/** The parts that the contract passes to a store when it opens it. */
export interface OpenContext {
  /** The clock that the store must use. The tests move it by hand. */
  readonly clock: Clock;
}

const FOR_ALL: readonly Behaviours[] = [
  creating,
  scopes,
  provisional,
  writing,
  historyBytes,
  numbering,
  guards,
  ending,
  leases,
  suspects,
  claiming,
  fairClaims,
  idempotency,
  listing,
  paging,
  retention,
  purging,
  pushConfigs,
  pushConfigLife,
  outbox,
  deadLetters,
  openCalls,
  callOutbox,
  watching,
  values,
  texts,
  names,
  randomCalls,
  tokenBuckets,
];

/**
 * Registers the tests that every implementation of the `Store` interface must pass, one for each guarantee. Every test opens a store
 * of its own and never waits for real time.
 *
 * @example
 * storeContract({ test, open: ({ clock }) => memoryStore({ clock }) });
 */
export function storeContract({ test, open, reopen }: StoreContractOptions): void {
  const register = (behaviours: Behaviours, again?: StoreContractOptions['reopen']): void => {
    for (const [name, run] of Object.entries(behaviours)) {
      test(name, async () => {
        const clock = fakeClock(START);
        const subject = new Subject(await open({ clock }), clock, again && ((closed) => again(closed, { clock })));
        try {
          await run(subject);
        } finally {
          await subject.store.close();
        }
      });
    }
  };
  for (const behaviours of FOR_ALL) register(behaviours);
  if (reopen === undefined) return;
  for (const behaviours of [
    durability,
    durableFairClaims,
    durablePushConfigs,
    durableOutbox,
    durableDeadLetters,
    durableCalls,
  ])
    register(behaviours, reopen);
}
