import { type Exchange, type RecordedRequest, type RecordedResponse } from './recording.ts';
import { type Meanings, meaningsOf, Unification } from './unify.ts';
import { isReading, titleOf } from './written-request.ts';

/** What was recorded for a request, and what its names mean now; or why there is nothing. */
export type Found =
  | { readonly response: RecordedResponse; readonly meanings: Meanings; readonly miss?: never }
  | { readonly miss: string };

/** The exchanges of a recording, and which of them have been asked for. */
export class Tape {
  readonly #name: string;
  readonly #exchanges: readonly Exchange[];
  readonly #used = new Set<Exchange>();
  readonly #misses: string[] = [];
  readonly #atFirst: Meanings;
  #meanings: Meanings;

  constructor(name: string, exchanges: readonly Exchange[]) {
    this.#name = name;
    this.#exchanges = exchanges;
    this.#atFirst = meaningsOf(exchanges);
    this.#meanings = this.#atFirst;
  }

  get misses(): readonly string[] {
    return [...this.#misses];
  }

  get unused(): readonly string[] {
    return this.#exchanges.filter((exchange) => !this.#used.has(exchange)).map(({ request }) => titleOf(request));
  }

  /**
   * Exchanges that fit are given in the order in which they were recorded, each once. Whoever only reads gets the last of
   * them again: how often somebody polls differs from run to run.
   */
  find(asked: RecordedRequest, url: string): Found {
    const fitting = this.#fitting(asked, url, this.#meanings);
    const next = fitting.find(({ exchange }) => !this.#used.has(exchange));
    const found = next ?? (isReading(asked) ? fitting.at(-1) : undefined);
    if (found === undefined) return this.#miss(asked, url);
    this.#used.add(found.exchange);
    this.#meanings = found.meanings;
    return { response: found.exchange.response, meanings: found.meanings };
  }

  #fitting(
    asked: RecordedRequest,
    url: string,
    meanings: Meanings,
  ): readonly { readonly exchange: Exchange; readonly meanings: Meanings }[] {
    return this.#exchanges.flatMap((exchange) => {
      const unification = new Unification(meanings, url);
      return unification.request(exchange.request, asked) ? [{ exchange, meanings: unification.meanings }] : [];
    });
  }

  #miss(asked: RecordedRequest, url: string): Found {
    const title = titleOf(asked);
    const miss = `${this.#name} has no answer to ${title}: ${this.#reason(asked, url, title)}`;
    this.#misses.push(miss);
    return { miss };
  }

  #reason(asked: RecordedRequest, url: string, title: string): string {
    const unused = this.#exchanges.filter((exchange) => !this.#used.has(exchange));
    // Whatever its caller has named since.
    const before = this.#fitting(asked, url, this.#atFirst);
    if (before.length > 0 && before.every(({ exchange }) => this.#used.has(exchange))) return often(before.length);
    const nearest = [...unused, ...this.#exchanges].find(({ request }) => titleOf(request) === title);
    if (nearest === undefined) {
      const titles = new Set(this.#exchanges.map(({ request }) => titleOf(request)));
      return `it has ${titles.size === 0 ? 'nothing' : [...titles].join(', ')}`;
    }
    const unification = new Unification(before.length > 0 ? this.#meanings : this.#atFirst, url);
    unification.request(nearest.request, asked);
    const { at, recorded, asked: now } = unification.difference ?? { at: '', recorded: '', asked: '' };
    return `at ${at} it has ${recorded}, and not ${now}`;
  }
}

function often(times: number): string {
  return `it has it ${times === 1 ? 'once' : `${times} times`}, and was asked once more`;
}
