import { A2AError } from '../errors.ts';
import type { AgentCard } from '../model/card.ts';
import type { JsonObject } from '../model/json.ts';
import type { ProtocolVersion } from './dialect.ts';
import { type DecodedCard, decodeCardBy, type ReadCardOptions, versionOfCard } from './read-card.ts';
import { dialectOf } from './select.ts';
import { mergeCards, withAuthentication } from './superset-card.ts';
import type { RequestedVersion } from './version.ts';

/** How a card can be served: as one version has it, or so that readers of 1.0 and of 0.3 both find their members. */
export type CardForm = 'superset' | ProtocolVersion;

/**
 * The form in which a card is served (docs/adr/0002-default-card.md). `agent.json` is the path of 0.2; at
 * `agent-card.json` the version decides, and `byDefault` answers whoever does not name one that we know.
 */
export function cardForm(
  path: 'agent-card.json' | 'agent.json',
  version: RequestedVersion,
  byDefault: CardForm,
): CardForm {
  if (path === 'agent.json') return version.kind === 'known' && version.version === '0.1' ? '0.1' : '0.2';
  return version.kind === 'known' ? version.version : byDefault;
}

/** @throws A2AError `UNSUPPORTED_OPERATION` if the version asked for has no words for the card. */
export function encodeCard(card: AgentCard, form: CardForm): JsonObject {
  switch (form) {
    case 'superset':
      return encodeSuperset(card);
    case '0.2':
      return withAuthentication(written(card, '0.2'), sayable(card, '0.1') ?? {});
    default:
      return written(card, form);
  }
}

/** A card that 0.3 cannot say, or that offers no interface of 0.3, is served as 1.0 alone. */
function encodeSuperset(card: AgentCard): JsonObject {
  const v1 = written(card, '1.0');
  const v03 = sayable(card, '0.3');
  return v03 === undefined ? v1 : mergeCards(v1, v03);
}

function written(card: AgentCard, version: ProtocolVersion): JsonObject {
  return dialectOf(version).card.encode(card) as JsonObject;
}

function sayable(card: AgentCard, version: ProtocolVersion): JsonObject | undefined {
  try {
    return written(card, version);
  } catch (error) {
    if (A2AError.is(error, 'UNSUPPORTED_OPERATION')) return undefined;
    throw error;
  }
}

/** Reads a card of any version. Clients have `readCard`. @throws A2AError `INVALID_AGENT_RESPONSE` */
export function decodeCard(json: unknown, options: ReadCardOptions = {}): DecodedCard {
  return decodeCardBy(dialectOf(versionOfCard(json, options)), json, options);
}
