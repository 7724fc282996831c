import type { CallScope } from '../request/call-scope.ts';
import type { ClientContext } from '../request/exchange.ts';

/**
 * Returns the trusted content of a card: all of it, or only the signed content if the user requires signatures. The code that
 * verifies them is loaded on demand.
 *
 * @throws A2AError `INVALID_AGENT_RESPONSE`
 */
export async function trustedCard(context: ClientContext, scope: CallScope, json: unknown): Promise<unknown> {
  const { verifyCard } = context.settings;
  if (verifyCard === undefined) return json;
  const { verifiedCard } = await import('./verify-card.ts');
  return verifiedCard(context, scope, json, verifyCard);
}
