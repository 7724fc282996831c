import type { CallClaimRequest, HeldCall } from './call.ts';
import { ownerKey } from './push-shares.ts';
import type { Scope } from './store.ts';

/**
 * Chooses the due calls of a claim, so that no owner gets more than its share. For stores that read the due rows in rounds: each
 * round excludes owners that have their share, however many of their rows come first.
 */
export class CallShares {
  readonly #limit: number;
  readonly #perOwner: number;
  readonly #owners = new Map<string, { readonly scope: Scope; count: number }>();
  readonly #ids = new Set<string>();
  #taken = 0;

  constructor({ limit, perOwner, held }: Pick<CallClaimRequest, 'limit' | 'perOwner' | 'held'>) {
    this.#limit = limit;
    this.#perOwner = perOwner;
    for (const call of held) this.#count(call);
  }

  /** The owners that have their share. */
  get fullOwners(): readonly Scope[] {
    return [...this.#owners.values()].filter(({ count }) => count >= this.#perOwner).map(({ scope }) => scope);
  }

  /** The maximum number of rows to read in a round, because taken rows may be among them. */
  get rowsToSee(): number {
    return this.#limit;
  }

  /** Adds chosen calls to `taken`, the longest due first. Returns whether another round may find more. */
  takeFrom<Call>(due: Iterable<Call>, nameOf: (call: Call) => HeldCall, taken: Call[]): boolean {
    const before = this.#taken;
    let isLeftOut = false;
    for (const call of due) {
      if (this.#taken >= this.#limit) return false;
      const name = nameOf(call);
      if (this.#ids.has(name.id)) continue;
      if ((this.#owners.get(ownerKey(name))?.count ?? 0) >= this.#perOwner) {
        isLeftOut = true;
        continue;
      }
      this.#count(name);
      this.#taken += 1;
      taken.push(call);
    }
    return isLeftOut && this.#taken > before;
  }

  #count({ id, tenant, owner }: HeldCall): void {
    this.#ids.add(id);
    const key = ownerKey({ tenant, owner });
    const known = this.#owners.get(key);
    if (known === undefined) this.#owners.set(key, { scope: { tenant, owner }, count: 1 });
    else known.count += 1;
  }
}
