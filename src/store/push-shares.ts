import type { PushClaimRequest, PushConfigRecord, PushHolding } from './push.ts';
import type { Scope } from './store.ts';

/**
 * Chooses the due push configs of a claim, so that no receiver and no owner gets more than its share. For stores that read the
 * due rows in rounds: each round excludes receivers and owners that have their share, however many of their rows come first.
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

  /** The receivers that have their share. */
  get fullReceivers(): readonly string[] {
    return [...this.#receivers].filter(([, count]) => count >= this.#request.perReceiver).map(([name]) => name);
  }

  /** The owners that have their share. */
  get fullOwners(): readonly Scope[] {
    return [...this.#owners.values()].filter(({ count }) => count >= this.#request.perOwner).map(({ scope }) => scope);
  }

  /** The maximum number of rows to read in a round, because held and taken rows may be among them. */
  get rowsToSee(): number {
    return this.#request.limit + this.#held.size;
  }

  /** Adds chosen rows to `taken`, the longest due first. Returns whether another round may find more. */
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

/** A text for each owner. The length separates the two names. */
export function ownerKey({ tenant, owner }: Scope): string {
  return `${tenant.length} ${tenant}${owner}`;
}

/** The receiver of a push config: its host. All URLs and ports of a host usually fail together. */
export function receiverOf({ config }: PushConfigRecord): string {
  return URL.canParse(config.url) ? new URL(config.url).hostname : '';
}
