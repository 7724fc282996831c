import { A2AError } from '../errors.ts';
import type { AgentCard } from '../model/card.ts';
import { classifyCard } from './classify.ts';
import { decode, type Decoded, type Dialect, type ProtocolVersion } from './dialect.ts';
import type { ReadOptions } from './reader.ts';
import { loadCardDialect } from './spoken.ts';

/** A card as read, with the version whose form it has. */
export interface DecodedCard extends Decoded<AgentCard> {
  readonly version: ProtocolVersion;
  /** Its agent may speak this version instead: cards of 0.1 and of early 0.2 can look alike. */
  readonly mayAlsoBe?: ProtocolVersion;
}

export interface ReadCardOptions extends ReadOptions {
  /** The version of a card that could be of 0.1 or 0.2. */
  readonly unstated?: '0.1' | '0.2';
}

/** Reads a card of any version, and loads what that takes. @throws A2AError `INVALID_AGENT_RESPONSE` */
export async function readCard(json: unknown, options: ReadCardOptions = {}): Promise<DecodedCard> {
  return decodeCardBy(await loadCardDialect(versionOfCard(json, options)), json, options);
}

/** @throws A2AError `INVALID_AGENT_RESPONSE` if it is no card. */
export function versionOfCard(json: unknown, { unstated }: ReadCardOptions): ProtocolVersion {
  const version = classifyCard(json, unstated);
  if (version !== undefined) return version;
  throw new A2AError('INVALID_AGENT_RESPONSE', 'This is no agent card: it names neither supportedInterfaces nor a url');
}

/** @throws A2AError `INVALID_AGENT_RESPONSE` */
export function decodeCardBy({ card, version }: Dialect, json: unknown, options: ReadCardOptions): DecodedCard {
  const decoded = { ...decode(card, json, 'response', options), version };
  // Told to take it for 0.1, it would have.
  const isGuess = version === '0.2' && classifyCard(json, '0.1') === '0.1';
  return isGuess ? { ...decoded, mayAlsoBe: '0.1' } : decoded;
}
