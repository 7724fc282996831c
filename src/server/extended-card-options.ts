import type { Caller } from '../engine/handler.ts';
import type { AgentCard } from '../model/card.ts';
import { type CardParts, type ReadCardParts, readCardParts } from './card-parts.ts';
import { type Check, isObject, kindOf } from './check.ts';

/**
 * Says what the card of one caller has beside the skills that he may use; nothing at all if he gets no card of his own.
 * `card` is what he would get without it.
 */
export type ExtendedCardFunction = (
  caller: Caller,
  card: AgentCard,
  tenant: string,
) => CardParts | undefined | Promise<CardParts | undefined>;

/** The card for known callers. `true`: it lists the skills that the caller may use. */
export type ExtendedCardOption = true | CardParts | ExtendedCardFunction;

export type ExtendedCardSetting = true | ReadCardParts | ExtendedCardFunction;

export function readExtendedCard(check: Check, value: unknown): ExtendedCardSetting | undefined {
  if (value === undefined || value === false) return undefined;
  if (value === true) return true;
  if (typeof value === 'function') return value as ExtendedCardFunction;
  if (isObject(value)) return readCardParts(check, value, 'extendedCard');
  check.fault('extendedCard', `must be true, parts of a card or a function that gives them, not ${kindOf(value)}`);
  return undefined;
}
