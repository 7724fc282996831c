import type { PushClaimRequest, PushHolding } from './push.ts';
import type { Scope } from './store.ts';

/**
 * Chooses what a node is given of what is due, so that nobody gets more than a share, neither a receiver nor an owner. For
 * stores that look for what is due in rounds: each leaves out those who have their share, however many wait in front.
 */
export class PushShares {
  readonly #request: Pick<PushClaimRequest, 'limit' | 'perReceiver' | 'perOwner'>;
  readonly #held: Set<string>;
  readonly #receivers = new Map<string, number>();
  readonly #owners = new Map<string, { readonly scope: Scope; count: number }>();
  #taken = 0;

  constructor(request: Pick<PushClaimRequest, 'limit' | 'perReceiver' | 'perOwner' | 'held'>) {
    this.#request = request;
    this.#held = new Set(request.held.map(keyOf));
    for (const one of request.held) this.#count(one);
  }

  /** Those who have their share. */
  get fullReceivers(): readonly string[] {
    return [...this.#receivers].filter(([, count]) => count >= this.#request.perReceiver).map(([name]) => name);
  }

  get fullOwners(): readonly Scope[] {
    return [...this.#owners.values()].filter(({ count }) => count >= this.#request.perOwner).map(({ scope }) => scope);
  }

  /** As many rows must be looked at, at most: those that are held or taken may be among them. */
  get rowsToSee(): number {
    return this.#request.limit + this.#held.size;
  }

  /** Takes of what is due, the longest due first, into `taken`. Says whether another round may find more. */
  takeFrom<Row>(due: Iterable<Row>, holdingOf: (row: Row) => PushHolding, taken: Row[]): boolean {
    const before = this.#taken;
    let isLeftOut = false;
    for (const row of due) {
      if (this.#taken >= this.#request.limit) return false;
      const one = holdingOf(row);
      if (this.#hasShare(one)) {
        isLeftOut = true;
        continue;
      }
      const key = keyOf(one);
      if (this.#held.has(key)) continue;
      this.#held.add(key);
      this.#count(one);
      this.#taken += 1;
      taken.push(row);
    }
    return isLeftOut && this.#taken > before;
  }

  #hasShare(one: PushHolding): boolean {
    if ((this.#receivers.get(one.receiver) ?? 0) >= this.#request.perReceiver) return true;
    return (this.#owners.get(ownerKey(one))?.count ?? 0) >= this.#request.perOwner;
  }

  #count(one: PushHolding): void {
    const { receiver, tenant, owner } = one;
    this.#receivers.set(receiver, (this.#receivers.get(receiver) ?? 0) + 1);
    const key = ownerKey(one);
    const known = this.#owners.get(key);
    if (known === undefined) this.#owners.set(key, { scope: { tenant, owner }, count: 1 });
    else known.count += 1;
  }
}

function keyOf({ taskId, configId }: PushHolding): string {
  return JSON.stringify([taskId, configId]);
}

/** The length says where the one name ends and the other begins. */
function ownerKey({ tenant, owner }: Scope): string {
  return `${tenant.length} ${tenant}${owner}`;
}
