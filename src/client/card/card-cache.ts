import type { Deadline } from '../request/deadline.ts';
import { type NoteFailure, SharedRequests } from '../request/shared-requests.ts';
import type { OutboundResponse } from '../../support/http-client/http-client.ts';

/** How long a card is fresh if its server does not specify it (1.0 §8.6.2). */
const DEFAULT_LIFETIME_MS = 5 * 60_000;

const MAX_CARDS = 256;

/** A cached card with its HTTP validators. */
export interface KeptCard {
  readonly json: unknown;
  readonly etag: string | undefined;
  readonly lastModified: string | undefined;
  readonly freshUntil: number;
}

export interface CardFetch {
  /** Fetches a card. `known` is a stale card to revalidate. */
  start(known: KeptCard | undefined, noteFailure: NoteFailure): Promise<FetchedCard>;
  /** Called when no caller waits for the card any more. */
  stop(): void;
}

export interface FetchedCard {
  readonly json: unknown;
  /** Undefined if the card must not be cached. */
  readonly keep: KeptCard | undefined;
}

/**
 * Caches public cards by the rules of HTTP for all clients of the process. It only contains cards that were fetched without
 * credentials.
 */
class CardCache {
  readonly #cards = new Map<string, KeptCard>();
  readonly #pending = new SharedRequests<unknown>();

  /** @throws The error of the fetch, and nothing is cached then; the error of the deadline if it passes. */
  async get(key: string, now: number, deadline: Deadline, create: () => CardFetch): Promise<unknown> {
    const kept = this.#cards.get(key);
    if (kept !== undefined && now < kept.freshUntil) return kept.json;
    deadline.check();
    return this.#pending.get(key, deadline, (noteFailure) => {
      const fetch = create();
      const promise = fetch.start(kept, noteFailure).then(({ json, keep }) => this.#keep(key, json, keep));
      return { promise, stop: () => fetch.stop() };
    });
  }

  /** Removes a card that has proved wrong. */
  forget(key: string): void {
    this.#cards.delete(key);
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

/** The card cache of this process. */
export const sharedCards = new CardCache();

/** The cache entry for a response (RFC 9111); undefined if the response forbids caching. */
export function kept(json: unknown, response: Pick<OutboundResponse, 'header'>, now: number): KeptCard | undefined {
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

function lifetimeOf(control: string, response: Pick<OutboundResponse, 'header'>): number {
  const [, maxAge] = /\bmax-age=(\d{1,9})\b/.exec(control) ?? [];
  if (maxAge !== undefined) return Math.max(0, Number(maxAge) - (Number(response.header('age')) || 0)) * 1000;
  const expires = response.header('expires');
  if (expires === undefined) return DEFAULT_LIFETIME_MS;
  // Both times are from the server's clock.
  const ms = Date.parse(expires) - Date.parse(response.header('date') ?? '');
  return Number.isFinite(ms) ? Math.max(0, ms) : 0;
}

/** The headers of a conditional request, so that an unchanged card is not sent again. */
export function revalidation(known: KeptCard | undefined): Readonly<Record<string, string>> {
  return {
    ...(known?.etag !== undefined && { 'if-none-match': known.etag }),
    ...(known?.lastModified !== undefined && { 'if-modified-since': known.lastModified }),
  };
}
