import type { AgentCard, AgentExtension, AgentInterface } from '../../model/card.ts';
import { LINEAGE } from '../../model/lineage.ts';
import { QUESTIONS } from '../../model/question.ts';
import { RECOGNISES_REPEATS } from '../../model/repeats.ts';
import { TRANSITIONS } from '../../model/transitions.ts';
import { type Binding, BINDINGS, hasBinding, type Offer, type ProfileName } from '../../wire/offer.ts';
import { PROTOCOL_VERSIONS, type ProtocolVersion } from '../../wire/version.ts';
import type { Agent } from '../../agent/agent.ts';
import type { Authenticator } from '../../host/auth/authenticator.ts';
import { cardSecurity } from './card-security.ts';

/** The facts on a card that depend on how the agent is served. */
export interface CardFacts {
  readonly agent: Agent;
  readonly offer: Offer;
  readonly rpcPath: string;
  readonly streaming: boolean;
  readonly pushNotifications: boolean;
  /** Whether callers can read the state changes of their tasks. */
  readonly stateTransitionHistory: boolean;
  readonly extendedAgentCard: boolean;
  /** The authenticators; undefined if callers are anonymous. */
  readonly auth?: readonly Authenticator[] | undefined;
  readonly requiredScopes?: readonly string[] | undefined;
  /** The profile that the card belongs to, if it is not the standard card. */
  readonly profile?: ProfileName;
  /** Whether repeated messages are recognised after a restart. */
  readonly recognisesRepeats: boolean;
  /** Not set: the status of a task lists its open questions. */
  readonly listsQuestions?: false;
}

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

/** The extensions of the agent, and those of the server that the agent does not declare itself. */
function withOurs(
  declared: readonly AgentExtension[],
  { recognisesRepeats, stateTransitionHistory, listsQuestions }: CardFacts,
): readonly AgentExtension[] {
  const ours = [
    ...(listsQuestions === false ? [] : [QUESTIONS]),
    ...(recognisesRepeats ? [RECOGNISES_REPEATS] : []),
    ...(stateTransitionHistory ? [TRANSITIONS] : []),
    LINEAGE,
  ];
  return [...declared, ...ours.filter(({ uri }) => !declared.some((extension) => extension.uri === uri))];
}

/**
 * The newest version first, with its bindings in the order of the offer. Clients of 1.0 and 0.3 share a card. Older versions have their
 * own card, because newer clients could fail on their entries (docs/adr/0002-default-card.md).
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
