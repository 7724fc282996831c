import { A2AError } from '../../errors.ts';
import type { AgentCard } from '../../model/card.ts';
import { classifyCard } from '../classify.ts';
import { decode, type Decoded, type Dialect } from '../dialect.ts';
import type { DecodeOptions } from '../decoder.ts';
import { loadCardDialect } from '../client-dialect.ts';
import type { ProtocolVersion } from '../version.ts';

/** A decoded card with its protocol version. */
export interface DecodedCard extends Decoded<AgentCard> {
  /** The version of the card's format. */
  readonly version: ProtocolVersion;
  /** The agent may use this version instead: cards of 0.1 and of early 0.2 can look alike. */
  readonly mayAlsoBe?: ProtocolVersion;
}

export interface ReadCardOptions extends DecodeOptions {
  /** The version to assume for a card that could be either 0.1 or 0.2. */
  readonly unstated?: '0.1' | '0.2';
}

/** Decodes a card of any version and loads the dialect for it. @throws A2AError `INVALID_AGENT_RESPONSE` */
export async function readCard(json: unknown, options: ReadCardOptions = {}): Promise<DecodedCard> {
  return decodeCardBy(await loadCardDialect(versionOfCard(json, options)), json, options);
}

/** @throws A2AError `INVALID_AGENT_RESPONSE` if it is not an agent card. */
export function versionOfCard(json: unknown, { unstated }: ReadCardOptions): ProtocolVersion {
  const version = classifyCard(json, unstated);
  if (version !== undefined) return version;
  throw new A2AError('INVALID_AGENT_RESPONSE', 'This is not an agent card: it has neither supportedInterfaces nor url');
}

/** @throws A2AError `INVALID_AGENT_RESPONSE` */
export function decodeCardBy({ card, version }: Dialect, json: unknown, options: ReadCardOptions): DecodedCard {
  const decoded = { ...decode(card, json, 'response', options), version };
  // The same card would also pass as 0.1.
  const isGuess = version === '0.2' && classifyCard(json, '0.1') === '0.1';
  return isGuess ? { ...decoded, mayAlsoBe: '0.1' } : decoded;
}
