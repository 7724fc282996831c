import type { Agent } from '../agent/agent.ts';
import type { Caller } from '../engine/handler.ts';
import type { Runnable } from '../engine/runnable.ts';
import type { AgentCard } from '../model/card.ts';
import type { JsonObject } from '../model/json.ts';
import type { Offer } from '../wire/offer.ts';
import type { ProtocolVersion } from '../wire/version.ts';
import type { Host } from './host.ts';
import { OperationObserver } from './operation-observer.ts';

/** The options of one agent on a host, with defaults applied. */
export interface MountSettings {
  /** The versions, bindings and profiles that the agent is served with. */
  readonly offer: Offer;
  readonly streaming: boolean;
  readonly pushNotifications: boolean;
  readonly stateTransitionHistory: boolean;
  readonly deduplicateByMessageId: boolean;
}

/** The cards of authenticated callers. */
export interface ExtendedCardSource {
  /** The headers of responses with such a card. */
  readonly headers: Readonly<Record<string, string>>;
  /** @throws A2AError `EXTENDED_AGENT_CARD_NOT_CONFIGURED` if this caller has none. */
  cardOf(caller: Caller, tenant: string, base: string, version: ProtocolVersion): Promise<AgentCard>;
  /** Adds the signatures of the agent to the encoded card, if cards are signed. */
  signed(json: JsonObject): Promise<JsonObject>;
}

/** An agent on a host: everything that operations and bindings need. */
export class MountedAgent implements MountSettings {
  readonly host: Host;
  readonly agent: Agent;
  readonly offer: Offer;
  readonly streaming: boolean;
  readonly pushNotifications: boolean;
  readonly stateTransitionHistory: boolean;
  readonly deduplicateByMessageId: boolean;
  /** Set if authenticated callers have extended cards. */
  readonly extendedCards: ExtendedCardSource | undefined;
  /** Records metrics and spans of operations, if enabled. */
  readonly observer: OperationObserver | undefined;

  constructor(host: Host, agent: Agent, settings: MountSettings, extendedCards?: ExtendedCardSource) {
    const { tracer, metrics } = host.observers;
    this.host = host;
    this.agent = agent;
    this.offer = settings.offer;
    this.streaming = settings.streaming;
    this.pushNotifications = settings.pushNotifications;
    this.stateTransitionHistory = settings.stateTransitionHistory;
    this.deduplicateByMessageId = settings.deduplicateByMessageId;
    this.extendedCards = extendedCards;
    const isObserved = tracer !== undefined || metrics !== undefined;
    this.observer = isObserved ? new OperationObserver(agent.id, host.observers) : undefined;
  }
}

/** The agent as the engine runs it if callers must accept one of its output types. */
export function enforcingOutputModes(agent: Agent): Runnable {
  return {
    ...agent,
    admit(message, acceptedOutputModes, skillId) {
      agent.admit(message, acceptedOutputModes, skillId);
      agent.admitOutputModes(acceptedOutputModes, skillId);
    },
  };
}
