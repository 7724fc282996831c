import { A2AError } from '../errors.ts';
import type { AgentCard } from '../model/card.ts';
import { readCard } from '../wire/read-card.ts';
import { parseJson } from './binding.ts';
import type { CallScope } from './call-scope.ts';
import type { Caller } from './caller.ts';
import { AuthAttempt } from './credentials.ts';
import { exchange } from './exchange.ts';
import { toPublicError } from './failures.ts';
import { trustedCard } from './trusted-card.ts';

/** The card for those who may see more. Where a version has no operation for it, it is at an address of its own. */
export async function fetchExtendedCard(caller: Caller, scope: CallScope): Promise<AgentCard> {
  const { url, dialect } = await caller.endpoints.load();
  if (dialect.operations.GetExtendedAgentCard !== undefined) {
    const { value, raw } = await caller.call('GetExtendedAgentCard', {}, scope);
    return caller.wiring.settings.verifyCard === undefined ? value : readTrusted(caller, scope, raw);
  }
  if (caller.card.capabilities.extendedAgentCard !== true) {
    throw new A2AError('UNSUPPORTED_OPERATION', 'The agent has no extended card');
  }
  try {
    return await fetchBesideEndpoint(caller, scope, new URL(`${url}/../agent/authenticatedExtendedCard`).href);
  } catch (error) {
    throw toPublicError(error, url);
  }
}

/** 0.2 §7.9: a plain request to `{url}/../agent/authenticatedExtendedCard`. */
async function fetchBesideEndpoint(caller: Caller, scope: CallScope, url: string): Promise<AgentCard> {
  const { wiring, card } = caller;
  const { deadline, trace } = scope;
  const passage = { deadline, trace, auth: wiring.credentials && new AuthAttempt(), card };
  const headers = { accept: 'application/json' };
  const response = await exchange(wiring, passage, { operation: 'GetExtendedAgentCard', method: 'GET', url, headers });
  const json = parseJson(await response.text(wiring.settings.limits.maxCardBytes));
  if (response.status === 200) return readTrusted(caller, scope, json);
  if (response.status === 401) throw new A2AError('UNAUTHENTICATED', 'The extended card is for known callers only');
  if (response.status === 403) throw new A2AError('PERMISSION_DENIED', 'The extended card is not for this caller');
  throw new A2AError(
    'EXTENDED_AGENT_CARD_NOT_CONFIGURED',
    `The agent answered ${response.status} for its extended card`,
  );
}

async function readTrusted({ wiring }: Caller, scope: CallScope, json: unknown): Promise<AgentCard> {
  return (await readCard(await trustedCard(wiring, scope, json), wiring.settings.read)).value;
}
