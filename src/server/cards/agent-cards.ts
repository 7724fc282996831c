import { PROFILE_PATHS, type ProfileName, profileOffer } from '../../wire/offer.ts';
import type { Agent } from '../../agent/agent.ts';
import type { CardFacts } from './agent-card.ts';
import { CardEndpoint, type CardEndpointOptions } from './card-endpoint.ts';
import { CardSigner } from './card-signer.ts';
import { ExtendedCards } from './extended-card.ts';
import type { HandlerSettings } from '../options/handler-options.ts';
import { pathsWithCards } from '../http/page-paths.ts';

/** The cards of a served agent: the standard card, those of mounted profiles, and the extended cards. */
export interface AgentCards {
  readonly endpoint: CardEndpoint;
  /** By path: the card below each JSON-RPC path, which lists that path, and the cards of mounted profiles. */
  readonly below: ReadonlyMap<string, CardEndpoint>;
  /** Set if authenticated callers have extended cards. */
  readonly extended: ExtendedCards | undefined;
  readonly signer: CardSigner | undefined;
}

type ProfileCard = Pick<
  CardEndpointOptions,
  'profile' | 'offer' | 'rpcPath' | 'byDefault' | 'rewrite' | 'extendedAgentCard'
> &
  Partial<Pick<CardEndpointOptions, 'stateTransitionHistory' | 'listsQuestions'>>;

/** How the card of each profile differs from the standard card. */
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
  // Its card has the 0.1 format, and its clients append `/a2a/tasks/send` to the URL.
  corvid: {
    profile: 'corvid',
    offer: { versions: ['0.1'] },
    rpcPath: '',
    byDefault: '0.1',
    extendedAgentCard: false,
    // Its tasks have no metadata, which would contain the state changes and the open questions.
    stateTransitionHistory: false,
    listsQuestions: false,
  },
};

export function createCards(agent: Agent, settings: HandlerSettings): AgentCards {
  const { extendedCard, cardSigning, publicUrl, cardForm, access, auth } = settings;
  // Extended cards are only for authenticated callers.
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
