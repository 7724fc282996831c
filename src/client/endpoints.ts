import { spokenDialect } from '../wire/select.ts';
import { usualPlaces } from './card-places.ts';
import type { Endpoint } from './endpoint.ts';

/**
 * The ways to reach one agent, and the one in use. The next one is taken when an answer shows that the one in use is
 * wrong; all calls of the client take part in that.
 */
export class Endpoints {
  readonly #interfaces: readonly [Endpoint, ...Endpoint[]];
  readonly #base: string | undefined;
  #current: Endpoint;
  #isGuess: boolean;
  /** The one that an agent has understood, whatever it says later. */
  #confirmed: Endpoint | undefined;

  /**
   * With the agent's own address, other places are tried if the card's is wrong. A guess is a version that the card does not
   * state; it holds until an agent has no such methods.
   */
  constructor(interfaces: readonly [Endpoint, ...Endpoint[]], base?: string, isGuess = false) {
    this.#interfaces = interfaces;
    this.#base = base;
    this.#current = interfaces[0];
    this.#isGuess = isGuess;
  }

  get current(): Endpoint {
    return this.#current;
  }

  /** The agent understood. */
  confirm(endpoint: Endpoint): void {
    this.#isGuess = false;
    this.#confirmed = endpoint;
  }

  /** The agent does not know a method. False unless the version was a guess. */
  doubt(doubted: Endpoint): boolean {
    const isGuess = this.#isGuess;
    this.#isGuess = false;
    return isGuess && this.refuse(doubted);
  }

  /** The version was refused there (1.0 §3.6.3). False if no interface has another. */
  refuse(refused: Endpoint): boolean {
    if (refused !== this.#current) return true;
    if (refused === this.#confirmed) return false;
    const at = this.#interfaces.findIndex(
      (each) => each.binding === refused.binding && each.version === refused.version,
    );
    const next = this.#interfaces.slice(at + 1).find(({ version }) => version !== refused.version);
    if (next === undefined) return false;
    this.#current = { ...next, why: `${next.why}; the agent refused ${refused.binding} ${refused.version}` };
    return true;
  }

  /** Nobody was there, or nobody could be reached. False if there is no other place to look. */
  miss(missed: Endpoint, isUnreachable: boolean): boolean {
    if (missed !== this.#current) return true;
    const stated = this.#interfaces.find((each) => each.binding === missed.binding && each.version === missed.version);
    const next = this.#placesAfter(missed, stated?.url).find(
      (url) => !isUnreachable || new URL(url).origin !== new URL(missed.url).origin,
    );
    const other = stated && (next === undefined ? this.#flatForm(stated) : movedTo(next, stated));
    // Without one, whoever comes next begins where the card says.
    this.#current = other ?? stated ?? this.#current;
    return other !== undefined;
  }

  /** One platform has a card of 0.1, and instead of JSON-RPC two paths of its own. */
  #flatForm(stated: Endpoint): Endpoint | undefined {
    const { version } = stated;
    const dialect = spokenDialect('HTTP+JSON', version, stated.url);
    if (version !== '0.1' || dialect === undefined || this.#base === undefined) return undefined;
    const why = `${stated.why}; nobody speaks it there, but maybe the flat form of it`;
    return { ...stated, url: this.#base, binding: 'HTTP+JSON', dialect, why };
  }

  #placesAfter({ url, binding }: Endpoint, stated: string | undefined): readonly string[] {
    if (this.#base === undefined) return [];
    const places = usualPlaces(this.#base, binding).filter((place) => place !== stated);
    return places.slice(places.indexOf(url) + 1);
  }
}

function movedTo(url: string, stated: Endpoint): Endpoint {
  const dialect = spokenDialect(stated.binding, stated.version, url) ?? stated.dialect;
  return { ...stated, url, dialect, why: `${stated.why}; not at ${stated.url} as the card says` };
}
