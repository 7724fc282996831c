import { A2AError } from '../errors.ts';
import { decodeCard, type DecodedCard } from '../wire/card-forms.ts';
import { AuthAttempt } from './auth.ts';
import { notJson, parseJson } from './binding.ts';
import type { CallScope } from './call-scope.ts';
import { exchange, type Wiring } from './exchange.ts';
import { toPublicError } from './failures.ts';

export interface FoundCard extends DecodedCard {
  readonly url: URL;
}

export async function findCard(wiring: Wiring, scope: CallScope, base: URL): Promise<FoundCard> {
  const url = new URL(`${base.href.replace(/\/+$/, '')}/.well-known/agent-card.json`);
  const { deadline, trace } = scope;
  const auth = new AuthAttempt();
  const headers = { accept: 'application/json', 'a2a-version': '1.0' };
  try {
    const response = await exchange(
      wiring,
      { deadline, trace, auth, card: undefined },
      { operation: 'AgentCard', method: 'GET', url: url.href, headers },
    );
    const text = await response.text(wiring.settings.limits.maxCardBytes);
    const json = parseJson(text);
    if (response.status !== 200)
      throw new A2AError('DISCOVERY_FAILED', `There is no card at ${url.href}: HTTP ${response.status}`);
    if (json === undefined) throw notJson(response.status, response.header('content-type'));
    return { ...decodeCard(json, wiring.settings.read), url };
  } catch (error) {
    throw toPublicError(error, url.href);
  }
}
