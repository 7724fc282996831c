import { type Exchange, type RecordedRequest, type RecordedResponse } from './recording.ts';
import { type PlaceholderValues, agentPlaceholders, RequestMatch } from './match-request.ts';
import { isReading, titleOf } from './written-request.ts';

/** The recorded response for a request with the current values of its placeholders, or the reason why there is none. */
export type Found =
  | { readonly response: RecordedResponse; readonly placeholders: PlaceholderValues; readonly miss?: never }
  | { readonly miss: string };

/** The exchanges of a recording, and which of them have been used. */
export class Tape {
  readonly #name: string;
  readonly #exchanges: readonly Exchange[];
  readonly #used = new Set<Exchange>();
  readonly #misses: string[] = [];
  readonly #atFirst: PlaceholderValues;
  #placeholders: PlaceholderValues;

  constructor(name: string, exchanges: readonly Exchange[]) {
    this.#name = name;
    this.#exchanges = exchanges;
    this.#atFirst = agentPlaceholders(exchanges);
    this.#placeholders = this.#atFirst;
  }

  get misses(): readonly string[] {
    return [...this.#misses];
  }

  get unused(): readonly string[] {
    return this.#exchanges.filter((exchange) => !this.#used.has(exchange)).map(({ request }) => titleOf(request));
  }

  /**
   * Finds the response for a request. Matching exchanges are returned in recorded order, each once. Read-only requests get the last
   * one again, because the number of polls differs from run to run.
   */
  find(asked: RecordedRequest, url: string): Found {
    const fitting = this.#fitting(asked, url, this.#placeholders);
    const next = fitting.find(({ exchange }) => !this.#used.has(exchange));
    const found = next ?? (isReading(asked) ? fitting.at(-1) : undefined);
    if (found === undefined) return this.#miss(asked, url);
    this.#used.add(found.exchange);
    this.#placeholders = found.placeholders;
    return { response: found.exchange.response, placeholders: found.placeholders };
  }

  #fitting(
    asked: RecordedRequest,
    url: string,
    placeholders: PlaceholderValues,
  ): readonly { readonly exchange: Exchange; readonly placeholders: PlaceholderValues }[] {
    return this.#exchanges.flatMap((exchange) => {
      const unification = new RequestMatch(placeholders, url);
      return unification.request(exchange.request, asked) ? [{ exchange, placeholders: unification.placeholders }] : [];
    });
  }

  #miss(asked: RecordedRequest, url: string): Found {
    const title = titleOf(asked);
    const miss = `${this.#name} has no response for ${title}: ${this.#reason(asked, url, title)}`;
    this.#misses.push(miss);
    return { miss };
  }

  #reason(asked: RecordedRequest, url: string, title: string): string {
    const unused = this.#exchanges.filter((exchange) => !this.#used.has(exchange));
    // Matched without the placeholders that later requests have bound.
    const before = this.#fitting(asked, url, this.#atFirst);
    if (before.length > 0 && before.every(({ exchange }) => this.#used.has(exchange))) return often(before.length);
    const nearest = [...unused, ...this.#exchanges].find(({ request }) => titleOf(request) === title);
    if (nearest === undefined) {
      const titles = new Set(this.#exchanges.map(({ request }) => titleOf(request)));
      return `it contains ${titles.size === 0 ? 'no requests' : `only ${[...titles].join(', ')}`}`;
    }
    const unification = new RequestMatch(before.length > 0 ? this.#placeholders : this.#atFirst, url);
    unification.request(nearest.request, asked);
    const { at, recorded, asked: now } = unification.difference ?? { at: '', recorded: '', asked: '' };
    return `expected ${recorded} at ${at}, got ${now}`;
  }
}

function often(times: number): string {
  return `it was recorded ${times === 1 ? 'once' : `${times} times`}, and requested once more`;
}
