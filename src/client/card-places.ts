import type { ProtocolVersion } from '../wire/dialect.ts';
import { trimEndOf } from '../support/trim-end.ts';

/** Where an agent may be, as the user of `connect()` said it. */
export interface Whereabouts {
  /** The agent's own address, without a slash at its end. */
  readonly base: string;
  /** Where its card may be, the likeliest first. */
  readonly cards: readonly CardPlace[];
}

export interface CardPlace {
  readonly url: string;
  /** The card of a whole host: it is this agent's only if it names the agent's address. */
  readonly isShared: boolean;
}

const CARD = '/.well-known/agent-card.json';
const OLD_CARD = '/.well-known/agent.json';

/** The address of a card ends in `.json`; any other is that of an agent. */
export function whereaboutsOf(given: URL, version: ProtocolVersion | undefined): Whereabouts {
  const path = trimEndOf(given.pathname, '/');
  if (path.endsWith('.json')) {
    const base = given.origin + path.replace(/(?:\/\.well-known)?\/[^/]*$/, '');
    return { base, cards: [{ url: given.href, isShared: false }] };
  }
  // Before 0.3 the card had another name; whoever wants such a version finds it there first.
  const names = version === '0.2' || version === '0.1' ? [OLD_CARD, CARD] : [CARD, OLD_CARD];
  const at = (base: string, isShared: boolean): CardPlace[] =>
    names.map((name) => ({ url: base + name + given.search, isShared }));
  const own = at(given.origin + path, false);
  return { base: given.origin + path, cards: path === '' ? own : [...own, ...at(given.origin, true)] };
}

/** Where agents that do not say where they are, or say it wrong, mostly are. */
export function usualPlaces(base: string, binding: string): readonly string[] {
  if (binding !== 'JSONRPC') return [base];
  const below = ['/a2a', '/', '/api/a2a', '/_agent-native/a2a'].map((path) => base + path);
  return new URL(base).pathname === '/' ? below : [base, ...below];
}
