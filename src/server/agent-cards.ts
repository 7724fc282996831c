import type { Agent } from './agent.ts';
import type { CardFacts } from './agent-card.ts';
import { CardEndpoint } from './card-endpoint.ts';
import { CardSigner } from './card-signer.ts';
import { ExtendedCards } from './extended-card.ts';
import type { HandlerSettings } from './handler-options.ts';

/** The cards of an agent that is served: the one for everybody, and those of known callers. */
export interface AgentCards {
  readonly endpoint: CardEndpoint;
  /** If known callers have cards of their own. */
  readonly extended: ExtendedCards | undefined;
  /** If cards are signed. */
  readonly signer: CardSigner | undefined;
}

export function createCards(agent: Agent, settings: HandlerSettings): AgentCards {
  const { extendedCard, cardSigning, publicUrl, cardForm, access, auth } = settings;
  // Without credentials there is nobody to show it to.
  const setting = auth === undefined ? undefined : extendedCard;
  const facts: CardFacts = {
    agent,
    offer: settings.offer,
    rpcPath: settings.rpcPaths[0],
    streaming: settings.streaming,
    pushNotifications: settings.pushNotifications,
    auth,
    requiredScopes: access?.requiredScopes,
    recognisesRepeats: settings.store !== undefined && settings.store.isVolatile !== true,
    extendedAgentCard: setting !== undefined,
  };
  const signer = cardSigning && new CardSigner(cardSigning);
  const isProtected = access?.protectCard === true;
  return {
    endpoint: new CardEndpoint({ ...facts, byDefault: cardForm, publicUrl, since: new Date(), signer, isProtected }),
    extended: setting && new ExtendedCards({ facts, setting, publicUrl, signer }),
    signer,
  };
}
