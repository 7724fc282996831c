import type { Caller } from '../engine/handler.ts';
import { A2AError } from '../errors.ts';
import type { AgentCard } from '../model/card.ts';
import type { JsonObject } from '../model/json.ts';
import type { GetExtendedAgentCardRequest } from '../model/operation.ts';
import type { ProtocolVersion } from '../wire/dialect.ts';
import { agentCard, type CardFacts } from './agent-card.ts';
import { credentialHeaders } from './auth/credential-headers.ts';
import { type Call, requireTenant } from './call.ts';
import { type ReadCardParts, readCardParts } from './card-parts.ts';
import type { CardSigner } from './card-signer.ts';
import { Check, isObject, kindOf } from './check.ts';
import type { ExtendedCardFunction, ExtendedCardSetting } from './extended-card-options.ts';
import type { Service } from './service.ts';

/** One caller's card is no other's, also where somebody keeps it for a while (1.0 §13.3). */
const CACHING = 'private, max-age=60';

export interface ExtendedCardOptions {
  readonly facts: CardFacts;
  readonly setting: ExtendedCardSetting;
  readonly publicUrl: string | undefined;
  readonly signer: CardSigner | undefined;
}

/** Makes the cards of known callers. */
export class ExtendedCards {
  /** Of every answer that has one. */
  readonly headers: Readonly<Record<string, string>>;
  readonly #options: ExtendedCardOptions;

  constructor(options: ExtendedCardOptions) {
    this.#options = options;
    this.headers = { 'cache-control': CACHING, vary: `${credentialHeaders(options.facts.auth)}, A2A-Version` };
  }

  /** @throws A2AError `EXTENDED_AGENT_CARD_NOT_CONFIGURED` if there is none for this caller. */
  async cardOf(caller: Caller, tenant: string, base: string, version: ProtocolVersion): Promise<AgentCard> {
    const { facts, setting, publicUrl } = this.#options;
    const shared = agentCard(facts, publicUrl ?? base, version);
    const { skills, access } = facts.agent;
    const card = withSkills(shared, access.usable(skills, caller, tenant));
    if (setting === true) return card;
    const parts = typeof setting === 'function' ? await partsOf(setting, caller, card, tenant) : setting;
    const others = skills.filter(({ card: { id } }) => !parts.skills.some((skill) => skill.card.id === id));
    return { ...withSkills(card, access.usable([...others, ...parts.skills], caller, tenant)), ...parts.members };
  }

  /** The card as it is sent; with the signatures of the agent, if it has some and the version knows them. */
  async signed(json: JsonObject): Promise<JsonObject> {
    return this.#options.signer === undefined ? json : this.#options.signer.signed(json);
  }
}

/** Known callers alone may have it (1.0 §13.3), where the card says that there is one. */
export async function getExtendedAgentCard(
  { extendedCards }: Service,
  call: Call,
  input: GetExtendedAgentCardRequest,
): Promise<AgentCard> {
  const { caller, base, dialect } = call;
  if (extendedCards === undefined) {
    throw new A2AError('UNSUPPORTED_OPERATION', 'This agent has no extended card: the public one says it all', {
      details: { capability: 'extendedAgentCard' },
    });
  }
  if (!caller.isVerified) throw new A2AError('UNAUTHENTICATED', 'The extended card is for known callers only');
  requireTenant(call, input);
  return extendedCards.cardOf(caller, input.tenant ?? '', base, dialect.version);
}

/** A card needs a skill; who may use none sees what everybody sees. */
function withSkills(card: AgentCard, skills: AgentCard['skills']): AgentCard {
  return skills.length === 0 ? card : { ...card, skills };
}

/** What an author's function gives is held to the same rules as what he writes down. */
async function partsOf(
  give: ExtendedCardFunction,
  caller: Caller,
  card: AgentCard,
  tenant: string,
): Promise<ReadCardParts> {
  const given: unknown = await give(caller, card, tenant);
  if (given === undefined || given === null) {
    throw new A2AError('EXTENDED_AGENT_CARD_NOT_CONFIGURED', 'There is no extended card for this caller');
  }
  const check = new Check();
  if (!isObject(given)) check.fault('extendedCard()', `must give parts of a card, not ${kindOf(given)}`);
  const parts = readCardParts(check, isObject(given) ? given : {}, 'extendedCard()');
  check.finish('The extended card cannot be made:');
  return parts;
}
