import { loadSpoken, spokenAtOnce } from '../wire/spoken.ts';
import { usualPlaces } from './card-places.ts';
import type { Endpoint, Way } from './endpoint.ts';

/**
 * The ways to reach one agent, and the one in use. The next one is taken when an answer shows that the one in use is
 * wrong; all calls of the client take part in that.
 */
export class Endpoints {
  readonly #interfaces: readonly [Way, ...Way[]];
  readonly #base: string | undefined;
  readonly #onMiss: () => void;
  #current: Way;
  #isGuess: boolean;
  /** The one that an agent has understood, whatever it says later. */
  #confirmed: Way | undefined;
  /** Where nobody was since an agent was last found. */
  readonly #missed: { readonly url: string; readonly binding: string; readonly isUnreachable: boolean }[] = [];

  /**
   * With the agent's own address, other places are tried if the card's is wrong. A guess is a version that the card does not
   * state; it holds until an agent has no such methods.
   *
   * @param onMiss Called when nobody was at a place: the card is wrong, or is that of an agent that is no longer there.
   */
  constructor(interfaces: readonly [Way, ...Way[]], base?: string, isGuess = false, onMiss: () => void = () => {}) {
    this.#onMiss = onMiss;
    this.#interfaces = interfaces;
    this.#base = base;
    this.#current = interfaces[0];
    this.#isGuess = isGuess;
  }

  get current(): Way {
    return this.#current;
  }

  /** The one in use, if it can be used at once. */
  get ready(): Endpoint | undefined {
    return isReady(this.#current) ? this.#current : undefined;
  }

  /** The one in use, with its words. It stays the same object for all calls: by that they know which one was wrong. */
  async load(): Promise<Endpoint> {
    for (;;) {
      const way = this.#current;
      if (isReady(way)) return way;
      const dialect = await loadSpoken(way);
      if (this.#current === way) this.#current = { ...way, dialect };
    }
  }

  /** The agent understood. */
  confirm(endpoint: Way): void {
    this.#isGuess = false;
    this.#confirmed = endpoint;
    this.#missed.length = 0;
  }

  /** Whether an agent has answered there. */
  isConfirmed(endpoint: Way): boolean {
    return endpoint === this.#confirmed;
  }

  /** The agent does not know a method. False unless the version was a guess. */
  doubt(doubted: Way): boolean {
    const isGuess = this.#isGuess;
    this.#isGuess = false;
    return isGuess && this.refuse(doubted);
  }

  /** The version was refused there (1.0 §3.6.3). False if no interface has another. */
  refuse(refused: Way): boolean {
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

  /**
   * Nobody was there, or nobody could be reached. A host that cannot be reached leads to what else the card names (1.0
   * §5.2); a wrong path to where agents mostly are, and only then to what else the same card says. False if there is no
   * other place to look, or if an agent has been there before: then it will be back.
   */
  miss(missed: Way, isUnreachable: boolean): boolean {
    this.#onMiss();
    if (missed !== this.#current) return true;
    if (missed === this.#confirmed) return false;
    this.#missed.push({ ...missed, isUnreachable });
    const stated =
      this.#interfaces.find((each) => each.binding === missed.binding && each.version === missed.version) ??
      this.#interfaces[0];
    const [others, guesses] = [this.#others(stated), this.#guesses(stated)];
    const ways = isUnreachable ? [...others, ...guesses] : [...guesses, ...others];
    const next = ways.find((way) => !this.#isHopeless(way));
    if (next === undefined) this.#missed.length = 0;
    // Without one, whoever comes next begins where the card says.
    this.#current = next ?? this.#interfaces[0];
    return next !== undefined;
  }

  #others(stated: Way): readonly Way[] {
    return this.#interfaces.map((each) => ({ ...each, why: `${each.why}; nobody was at ${stated.url}` }));
  }

  #guesses(stated: Way): readonly Way[] {
    if (this.#base === undefined) return [];
    const places = usualPlaces(this.#base, stated.binding).map((url) => movedTo(url, stated));
    const flat = this.#flatForm(stated, this.#base);
    return flat === undefined ? places : [...places, flat];
  }

  /** The version makes no difference to whether somebody is there. */
  #isHopeless(way: Way): boolean {
    return this.#missed.some(({ url, binding, isUnreachable }) =>
      isUnreachable ? new URL(way.url).origin === new URL(url).origin : way.url === url && way.binding === binding,
    );
  }

  /** One platform has a card of 0.1, and instead of JSON-RPC two paths of its own. */
  #flatForm(stated: Way, base: string): Way | undefined {
    if (stated.version !== '0.1') return undefined;
    const why = `${stated.why}; nobody speaks it there, but maybe the flat form of it`;
    return { ...stated, url: base, binding: 'HTTP+JSON', dialect: undefined, why };
  }
}

/** Where it is may change in which words it is spoken to. */
function movedTo(url: string, stated: Way): Way {
  return { ...stated, url, dialect: spokenAtOnce(stated), why: `${stated.why}; not at ${stated.url} as the card says` };
}

function isReady(way: Way): way is Endpoint {
  return way.dialect !== undefined;
}
