import type { Deadline } from './deadline.ts';
import type { TransportResponse } from './transport/transport.ts';

/** How long a card is good for if its server does not say (1.0 §8.6.2). */
const DEFAULT_LIFETIME_MS = 5 * 60_000;

const MAX_CARDS = 256;

/** A card as it came, and what its server said about keeping it. */
export interface KeptCard {
  readonly json: unknown;
  readonly etag: string | undefined;
  readonly lastModified: string | undefined;
  readonly freshUntil: number;
}

/** Fetches a card; `known` is one that has to be checked again. */
export interface CardFetch {
  start(known: KeptCard | undefined): Promise<FetchedCard>;
  /** Nobody waits for it any more. */
  stop(): void;
}

export interface FetchedCard {
  readonly json: unknown;
  /** Undefined if it must not be kept. */
  readonly keep: KeptCard | undefined;
}

/** A card that is being fetched, and how many wait for it. */
interface Underway {
  readonly promise: Promise<unknown>;
  readonly stop: () => void;
  waiting: number;
}

/**
 * Public cards, kept by the rules of HTTP, for all clients of the process. Only what anybody gets without credentials is
 * ever in here. A card that many want at the same time is fetched once, for as long as one of them waits.
 */
class CardCache {
  readonly #cards = new Map<string, KeptCard>();
  readonly #underway = new Map<string, Underway>();

  /** @throws what fetching throws, and nothing is kept then; what the deadline says, once it is over. */
  async get(key: string, now: number, deadline: Deadline, create: () => CardFetch): Promise<unknown> {
    const kept = this.#cards.get(key);
    if (kept !== undefined && now < kept.freshUntil) return kept.json;
    deadline.check();
    const underway = this.#underway.get(key) ?? this.#start(key, kept, create());
    underway.waiting++;
    try {
      return await deadline.within(underway.promise);
    } finally {
      if (--underway.waiting === 0) underway.stop();
    }
  }

  /** It has proved wrong. */
  forget(key: string): void {
    this.#cards.delete(key);
  }

  #start(key: string, kept: KeptCard | undefined, fetch: CardFetch): Underway {
    const forget = (): void => void (this.#underway.get(key) === underway && this.#underway.delete(key));
    const stop = (): void => {
      forget();
      fetch.stop();
    };
    const promise = fetch.start(kept).then(({ json, keep }) => this.#keep(key, json, keep));
    const underway: Underway = { promise: promise.finally(forget), stop, waiting: 0 };
    this.#underway.set(key, underway);
    return underway;
  }

  #keep(key: string, json: unknown, keep: KeptCard | undefined): unknown {
    this.#cards.delete(key);
    if (keep === undefined) return json;
    const [oldest] = this.#cards.keys();
    if (this.#cards.size >= MAX_CARDS && oldest !== undefined) this.#cards.delete(oldest);
    this.#cards.set(key, keep);
    return json;
  }
}

/** The one of this process. */
export const sharedCards = new CardCache();

/** What an answer says about keeping it (RFC 9111); undefined if it forbids it. */
export function kept(json: unknown, response: Pick<TransportResponse, 'header'>, now: number): KeptCard | undefined {
  const control = response.header('cache-control')?.toLowerCase() ?? '';
  if (/\bno-store\b/.test(control)) return undefined;
  const lifetime = /\bno-cache\b/.test(control) ? 0 : lifetimeOf(control, response);
  return {
    json,
    etag: response.header('etag'),
    lastModified: response.header('last-modified'),
    freshUntil: now + lifetime,
  };
}

function lifetimeOf(control: string, response: Pick<TransportResponse, 'header'>): number {
  const [, maxAge] = /\bmax-age=(\d{1,9})\b/.exec(control) ?? [];
  if (maxAge !== undefined) return Math.max(0, Number(maxAge) - (Number(response.header('age')) || 0)) * 1000;
  const expires = response.header('expires');
  if (expires === undefined) return DEFAULT_LIFETIME_MS;
  // Both by the server's clock.
  const ms = Date.parse(expires) - Date.parse(response.header('date') ?? '');
  return Number.isFinite(ms) ? Math.max(0, ms) : 0;
}

/** What to ask, so that a card that has not changed is not sent again. */
export function revalidation(known: KeptCard | undefined): Readonly<Record<string, string>> {
  return {
    ...(known?.etag !== undefined && { 'if-none-match': known.etag }),
    ...(known?.lastModified !== undefined && { 'if-modified-since': known.lastModified }),
  };
}
