import { loadClientDialect, bundledDialect } from '../../wire/client-dialect.ts';
import { wellKnownLocations } from '../card/card-locations.ts';
import type { Endpoint, EndpointCandidate } from './endpoint.ts';

/**
 * The interfaces of one agent, and the one in use. When a response shows that the current one is wrong, all calls of the client
 * switch to the next.
 */
export class Endpoints {
  readonly #interfaces: readonly [EndpointCandidate, ...EndpointCandidate[]];
  readonly #base: string | undefined;
  readonly #onMiss: () => void;
  #current: EndpointCandidate;
  #isGuess: boolean;
  /** The interface at which the agent last accepted a request. */
  #confirmed: EndpointCandidate | undefined;
  /** Interfaces without an agent, since an agent last responded. */
  readonly #missed: { readonly url: string; readonly binding: string; readonly isUnreachable: boolean }[] = [];

  /**
   * @param base The agent's own address. If set, usual paths below it are tried if the URL in the card is wrong.
   * @param isGuess The card specifies no version. The guess holds until an agent rejects a method as unknown.
   * @param onMiss Called when no agent responds at an interface: the card is wrong or outdated.
   */
  constructor(
    interfaces: readonly [EndpointCandidate, ...EndpointCandidate[]],
    base?: string,
    isGuess = false,
    onMiss: () => void = () => {},
  ) {
    this.#onMiss = onMiss;
    this.#interfaces = interfaces;
    this.#base = base;
    this.#current = interfaces[0];
    this.#isGuess = isGuess;
  }

  get current(): EndpointCandidate {
    return this.#current;
  }

  /** The interface in use, if its dialect is loaded. */
  get ready(): Endpoint | undefined {
    return isReady(this.#current) ? this.#current : undefined;
  }

  /** The interface in use with its dialect. All calls get the same object, so that they can report which one was wrong. */
  async load(): Promise<Endpoint> {
    for (;;) {
      const candidate = this.#current;
      if (isReady(candidate)) return candidate;
      const dialect = await loadClientDialect(candidate);
      if (this.#current === candidate) this.#current = { ...candidate, dialect };
    }
  }

  /** Notes that the agent accepted a request. */
  confirm(endpoint: EndpointCandidate): void {
    this.#isGuess = false;
    this.#confirmed = endpoint;
    this.#missed.length = 0;
  }

  /** Whether an agent has accepted a request at this interface. */
  isConfirmed(endpoint: EndpointCandidate): boolean {
    return endpoint === this.#confirmed;
  }

  /** Called if the agent does not know a method. Switches to another version, and returns true, only if the version was a guess. */
  doubt(doubted: EndpointCandidate): boolean {
    const isGuess = this.#isGuess;
    this.#isGuess = false;
    return isGuess && this.refuse(doubted);
  }

  /** Called if the agent rejected the version (1.0 §3.6.3). Returns false if no interface has another version. */
  refuse(refused: EndpointCandidate): boolean {
    if (refused !== this.#current) return true;
    if (refused === this.#confirmed) return false;
    const at = this.#interfaces.findIndex(
      (each) => each.binding === refused.binding && each.version === refused.version,
    );
    const next = this.#interfaces.slice(at + 1).find(({ version }) => version !== refused.version);
    if (next === undefined) return false;
    this.#current = { ...next, why: `${next.why}; the agent rejected ${refused.binding} ${refused.version}` };
    return true;
  }

  /**
   * Called if no agent responded at an interface. After an unreachable host, the other interfaces of the card are tried first (1.0
   * §5.2); after a wrong path, the usual paths first. Returns false if nothing is left to try, or if an agent has responded at this
   * interface before, because then it will be back.
   */
  miss(missed: EndpointCandidate, isUnreachable: boolean): boolean {
    this.#onMiss();
    if (missed !== this.#current) return true;
    if (missed === this.#confirmed) return false;
    this.#missed.push({ ...missed, isUnreachable });
    const stated =
      this.#interfaces.find((each) => each.binding === missed.binding && each.version === missed.version) ??
      this.#interfaces[0];
    const [others, guesses] = [this.#others(stated), this.#guesses(stated)];
    const candidates = isUnreachable ? [...others, ...guesses] : [...guesses, ...others];
    const next = candidates.find((candidate) => !this.#isHopeless(candidate));
    if (next === undefined) this.#missed.length = 0;
    // If nothing is left, the next call starts with the first interface of the card again.
    this.#current = next ?? this.#interfaces[0];
    return next !== undefined;
  }

  #others(stated: EndpointCandidate): readonly EndpointCandidate[] {
    return this.#interfaces.map((each) => ({ ...each, why: `${each.why}; no agent responded at ${stated.url}` }));
  }

  #guesses(stated: EndpointCandidate): readonly EndpointCandidate[] {
    if (this.#base === undefined) return [];
    const locations = wellKnownLocations(this.#base, stated.binding).map((url) => movedTo(url, stated));
    const flat = this.#flatForm(stated, this.#base);
    return flat === undefined ? locations : [...locations, flat];
  }

  /** Whether no agent can be at this interface. The version makes no difference. */
  #isHopeless(candidate: EndpointCandidate): boolean {
    return this.#missed.some(({ url, binding, isUnreachable }) =>
      isUnreachable
        ? new URL(candidate.url).origin === new URL(url).origin
        : candidate.url === url && candidate.binding === binding,
    );
  }

  /** The flat form: one platform has a 0.1 card, and two REST paths of its own instead of JSON-RPC. */
  #flatForm(stated: EndpointCandidate, base: string): EndpointCandidate | undefined {
    if (stated.version !== '0.1') return undefined;
    const why = `${stated.why}; JSON-RPC was not found, so the flat form is tried`;
    return { ...stated, url: base, binding: 'HTTP+JSON', dialect: undefined, why };
  }
}

/** The same interface at another URL. The dialect is chosen anew, because it may depend on the URL. */
function movedTo(url: string, stated: EndpointCandidate): EndpointCandidate {
  const why = `${stated.why}; no agent responded at ${stated.url}, which the card names`;
  return { ...stated, url, dialect: bundledDialect(stated), why };
}

function isReady(candidate: EndpointCandidate): candidate is Endpoint {
  return candidate.dialect !== undefined;
}
