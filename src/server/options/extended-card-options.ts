import type { Caller } from '../../engine/handler.ts';
import type { AgentCard } from '../../model/card.ts';
import { type CardParts, type ReadCardParts, readCardParts } from '../cards/card-parts.ts';
import { type Check, isObject, kindOf } from '../../support/check.ts';

/**
 * Returns the members that the extended card of a caller changes, or `undefined` if the caller gets no extended card. `card` is the
 * card with the skills that the caller can use.
 *
 * @example
 * extendedCard: (caller, card) => ({ description: `${card.description} Signed in as ${caller.id}.` })
 */
export type ExtendedCardFunction = (
  caller: Caller,
  card: AgentCard,
  tenant: string,
) => CardParts | undefined | Promise<CardParts | undefined>;

/** The card for authenticated callers. `true` lists the skills that the caller can use and changes nothing else. */
export type ExtendedCardOption = true | CardParts | ExtendedCardFunction;

export type ExtendedCardSetting = true | ReadCardParts | ExtendedCardFunction;

export function readExtendedCard(check: Check, value: unknown): ExtendedCardSetting | undefined {
  if (value === undefined || value === false) return undefined;
  if (value === true) return true;
  if (typeof value === 'function') return value as ExtendedCardFunction;
  if (isObject(value)) return readCardParts(check, value, 'extendedCard');
  check.fault(
    'extendedCard',
    `expected true, an object with card members, or a function that returns one, got ${kindOf(value)}`,
  );
  return undefined;
}
