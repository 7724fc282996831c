import type { AgentCard, AgentExtension, AgentInterface } from '../model/card.ts';
import { RECOGNISES_REPEATS } from '../model/repeats.ts';
import { TRANSITIONS } from '../model/transitions.ts';
import { PROTOCOL_VERSIONS, type ProtocolVersion } from '../wire/dialect.ts';
import { type Binding, BINDINGS, hasBinding, type Offer, type ProfileName } from '../wire/offer.ts';
import type { Agent } from './agent.ts';
import type { Authenticator } from './auth/authenticator.ts';
import { cardSecurity } from './auth/card-security.ts';

/** How an agent is served: what its card says beyond the agent itself. */
export interface CardFacts {
  readonly agent: Agent;
  readonly offer: Offer;
  /** The path of JSON-RPC that the card names. */
  readonly rpcPath: string;
  readonly streaming: boolean;
  readonly pushNotifications: boolean;
  /** Whether callers can get the state changes of their tasks. */
  readonly stateTransitionHistory: boolean;
  /** Whether known callers have a card of their own. */
  readonly extendedAgentCard: boolean;
  /** Who may call; everybody if not set. */
  readonly auth?: readonly Authenticator[] | undefined;
  readonly requiredScopes?: readonly string[] | undefined;
  /** The profile that the card belongs to, if it is not the card for everybody. */
  readonly profile?: ProfileName;
  /** Messages that come again are recognised as long as the store lasts. */
  readonly recognisesRepeats: boolean;
}

/** The card of an agent that is served at an address. */
export function agentCard(facts: CardFacts, base: string, older: ProtocolVersion | undefined): AgentCard {
  const { agent, offer, streaming, pushNotifications, extendedAgentCard, auth, requiredScopes } = facts;
  const { extensions: declared = [], ...description } = agent.card;
  const extensions = withOurs(declared, facts);
  return {
    ...description,
    supportedInterfaces: interfacesAt(facts, base, older),
    capabilities: {
      streaming,
      pushNotifications,
      ...(extendedAgentCard && { extendedAgentCard }),
      ...(extensions.length > 0 && { extensions }),
    },
    ...cardSecurity({ auth, requiredScopes, profile: facts.profile, profiles: offer.profiles }),
  };
}

/** Those that the agent declares, and those of the server that it does not declare itself. */
function withOurs(
  declared: readonly AgentExtension[],
  { recognisesRepeats, stateTransitionHistory }: CardFacts,
): readonly AgentExtension[] {
  const ours = [...(recognisesRepeats ? [RECOGNISES_REPEATS] : []), ...(stateTransitionHistory ? [TRANSITIONS] : [])];
  return [...declared, ...ours.filter(({ uri }) => !declared.some((extension) => extension.uri === uri))];
}

/**
 * The newest version first, and its bindings in the order of the offer. Readers of 1.0 and of 0.3 share a card; what is older has a card of its own, and clients that know
 * the newer ones would only stumble over its entry (docs/adr/0002-default-card.md).
 */
function interfacesAt(
  { offer, rpcPath }: CardFacts,
  base: string,
  older: ProtocolVersion | undefined,
): readonly AgentInterface[] {
  const { versions, bindings = BINDINGS } = offer;
  const urls: Readonly<Record<Binding, string>> = { JSONRPC: base + rpcPath, 'HTTP+JSON': base };
  const entries = PROTOCOL_VERSIONS.filter((version) => versions.includes(version)).flatMap((protocolVersion) =>
    bindings
      .filter((binding) => hasBinding(protocolVersion, binding))
      .map((protocolBinding) => ({ url: urls[protocolBinding], protocolBinding, protocolVersion })),
  );
  const isShared = (version: ProtocolVersion): boolean => version === '1.0' || version === '0.3';
  const shown = entries.filter(({ protocolVersion }) => isShared(protocolVersion) || protocolVersion === older);
  return shown.length > 0 ? shown : entries;
}
