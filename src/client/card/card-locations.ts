import { trimEndOf } from '../../support/trim-end.ts';
import type { ProtocolVersion } from '../../wire/version.ts';

/** The addresses at which an agent and its card may be, derived from the argument of `connect()`. */
export interface CardSource {
  /** The agent's own address, without a trailing slash. */
  readonly base: string;
  /** The possible URLs of its card, most likely first. */
  readonly cards: readonly CardLocation[];
}

export interface CardLocation {
  readonly url: string;
  /** Whether this is the card of the whole host. It counts only if it names the agent's address. */
  readonly isShared: boolean;
}

const CARD = '/.well-known/agent-card.json';
const OLD_CARD = '/.well-known/agent.json';

/** A URL that ends in `.json` is the URL of a card, any other is the URL of an agent. */
export function cardSourceOf(given: URL, version: ProtocolVersion | undefined): CardSource {
  const path = trimEndOf(given.pathname, '/');
  if (path.endsWith('.json')) {
    const base = given.origin + path.replace(/(?:\/\.well-known)?\/[^/]*$/, '');
    return { base, cards: [{ url: given.href, isShared: false }] };
  }
  // Before 0.3 the card had another name, which is tried first for those versions.
  const names = version === '0.2' || version === '0.1' ? [OLD_CARD, CARD] : [CARD, OLD_CARD];
  const at = (base: string, isShared: boolean): CardLocation[] =>
    names.map((name) => ({ url: base + name + given.search, isShared }));
  const own = at(given.origin + path, false);
  return { base: given.origin + path, cards: path === '' ? own : [...own, ...at(given.origin, true)] };
}

/** The usual endpoints of agents whose card omits the URL or contains a wrong one. */
export function wellKnownLocations(base: string, binding: string): readonly string[] {
  if (binding !== 'JSONRPC') return [base];
  const below = ['/a2a', '/', '/api/a2a', '/_agent-native/a2a'].map((path) => base + path);
  return new URL(base).pathname === '/' ? below : [base, ...below];
}
