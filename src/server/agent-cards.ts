import { PROFILE_PATHS, type ProfileName, profileOffer } from '../wire/offer.ts';
import type { Agent } from './agent.ts';
import type { CardFacts } from './agent-card.ts';
import { CardEndpoint, type CardEndpointOptions } from './card-endpoint.ts';
import { CardSigner } from './card-signer.ts';
import { ExtendedCards } from './extended-card.ts';
import type { HandlerSettings } from './handler-options.ts';
import { pathsWithCards } from './page-paths.ts';

/** The cards of an agent that is served: the one for everybody, those of mounted profiles, and those of known callers. */
export interface AgentCards {
  readonly endpoint: CardEndpoint;
  /** By path: the card below each path of JSON-RPC, which names that path, and the own cards of mounted profiles. */
  readonly below: ReadonlyMap<string, CardEndpoint>;
  /** If known callers have cards of their own. */
  readonly extended: ExtendedCards | undefined;
  /** If cards are signed. */
  readonly signer: CardSigner | undefined;
}

type ProfileCard = Pick<
  CardEndpointOptions,
  'profile' | 'offer' | 'rpcPath' | 'byDefault' | 'rewrite' | 'extendedAgentCard'
> &
  Partial<Pick<CardEndpointOptions, 'stateTransitionHistory'>>;

/** How the own card of each profile differs from the card for everybody. */
const PROFILE_CARDS: Readonly<Record<ProfileName, ProfileCard>> = {
  rxjs: {
    profile: 'rxjs',
    offer: { versions: ['0.3'] },
    rpcPath: PROFILE_PATHS.rxjs,
    byDefault: '0.3',
    extendedAgentCard: false,
  },
  'agent-native': {
    profile: 'agent-native',
    offer: profileOffer('agent-native'),
    rpcPath: PROFILE_PATHS['agent-native'],
    byDefault: '0.3',
    extendedAgentCard: false,
    rewrite: (card) => ({ ...card, protocolVersion: '0.3' }),
  },
  // Its card has the form of 0.1, and its address is what its peers put `/a2a/tasks/send` after.
  corvid: {
    profile: 'corvid',
    offer: { versions: ['0.1'] },
    rpcPath: '',
    byDefault: '0.1',
    extendedAgentCard: false,
    // Its tasks have no metadata to carry them.
    stateTransitionHistory: false,
  },
};

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
    stateTransitionHistory: settings.stateTransitionHistory,
    auth,
    requiredScopes: access?.requiredScopes,
    recognisesRepeats: settings.store !== undefined && settings.store.isVolatile !== true,
    extendedAgentCard: setting !== undefined,
  };
  const signer = cardSigning && new CardSigner(cardSigning);
  const served = { publicUrl, since: new Date(), signer, isProtected: access?.protectCard === true };
  const standard = { ...facts, ...served, byDefault: cardForm };
  const below = new Map(
    pathsWithCards(settings.rpcPaths).map((rpcPath) => [rpcPath, new CardEndpoint({ ...standard, rpcPath })]),
  );
  for (const profile of settings.offer.profiles ?? []) {
    below.set(PROFILE_PATHS[profile], new CardEndpoint({ ...standard, ...PROFILE_CARDS[profile] }));
  }
  return {
    endpoint: new CardEndpoint(standard),
    below,
    extended: setting && new ExtendedCards({ facts, setting, publicUrl, signer }),
    signer,
  };
}
