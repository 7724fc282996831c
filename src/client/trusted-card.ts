import type { CallScope } from './call-scope.ts';
import type { Wiring } from './exchange.ts';

/**
 * What may be read of a card that was received: all of it, or what those have signed whom the user trusts. Only who asks for
 * that loads what it takes.
 *
 * @throws A2AError `INVALID_AGENT_RESPONSE`
 */
export async function trustedCard(wiring: Wiring, scope: CallScope, json: unknown): Promise<unknown> {
  const { verifyCard } = wiring.settings;
  if (verifyCard === undefined) return json;
  const { verifiedCard } = await import('./verify-card.ts');
  return verifiedCard(wiring, scope, json, verifyCard);
}
