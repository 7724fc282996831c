import type { Caller } from '../../engine/handler.ts';
import { A2AError } from '../../errors.ts';
import type { AgentCard } from '../../model/card.ts';
import type { JsonObject } from '../../model/json.ts';
import { SKILL_EXTENSION } from '../../model/skills.ts';
import { type Skill, skillExtensionFor } from '../../agent/skill-access.ts';
import type { ProtocolVersion } from '../../wire/version.ts';
import { agentCard, type CardFacts } from './agent-card.ts';
import { credentialHeaders } from '../../host/auth/credentials.ts';
import { type ReadCardParts, readCardParts } from './card-parts.ts';
import type { CardSigner } from './card-signer.ts';
import { Check, isObject, kindOf } from '../../support/check.ts';
import type { ExtendedCardFunction, ExtendedCardSetting } from '../options/extended-card-options.ts';

/** Only the caller's own cache may keep an extended card (1.0 §13.3). */
const CACHING = 'private, max-age=60';

export interface ExtendedCardOptions {
  readonly facts: CardFacts;
  readonly setting: ExtendedCardSetting;
  readonly publicUrl: string | undefined;
  readonly signer: CardSigner | undefined;
}

/** Creates the cards of authenticated callers. */
export class ExtendedCards {
  readonly headers: Readonly<Record<string, string>>;
  readonly #options: ExtendedCardOptions;

  constructor(options: ExtendedCardOptions) {
    this.#options = options;
    this.headers = { 'cache-control': CACHING, vary: `${credentialHeaders(options.facts.auth)}, A2A-Version` };
  }

  /** @throws A2AError `EXTENDED_AGENT_CARD_NOT_CONFIGURED` if this caller has none. */
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

  /** Adds the signatures of the agent to the encoded card, if cards are signed. */
  async signed(json: JsonObject): Promise<JsonObject> {
    return this.#options.signer === undefined ? json : this.#options.signer.signed(json);
  }
}

/** A card needs at least one skill, so a caller that can use none gets the public ones. */
function withSkills(card: AgentCard, skills: readonly Skill[]): AgentCard {
  if (skills.length === 0) return card;
  const extensions = card.capabilities.extensions?.map((extension) =>
    extension.uri === SKILL_EXTENSION ? skillExtensionFor(skills) : extension,
  );
  const capabilities = extensions === undefined ? card.capabilities : { ...card.capabilities, extensions };
  return { ...card, capabilities, skills: skills.map((skill) => skill.card) };
}

/** The result of the author's function is validated like the option. */
async function partsOf(
  extend: ExtendedCardFunction,
  caller: Caller,
  card: AgentCard,
  tenant: string,
): Promise<ReadCardParts> {
  const given: unknown = await extend(caller, card, tenant);
  if (given === undefined || given === null) {
    throw new A2AError('EXTENDED_AGENT_CARD_NOT_CONFIGURED', 'This agent has no extended card for this caller');
  }
  const check = new Check();
  if (!isObject(given)) check.fault('extendedCard()', `expected an object with card members, got ${kindOf(given)}`);
  const parts = readCardParts(check, isObject(given) ? given : {}, 'extendedCard()');
  check.finish('Invalid extended card:');
  return parts;
}
