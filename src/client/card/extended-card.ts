import { A2AError } from '../../errors.ts';
import type { AgentCard } from '../../model/card.ts';
import { readCard } from '../../wire/card/read-card.ts';
import { parseJson } from '../request/binding.ts';
import type { CallScope } from '../request/call-scope.ts';
import type { OperationClient } from '../request/operation-client.ts';
import { AuthAttempt } from '../auth/credentials.ts';
import { exchange } from '../request/exchange.ts';
import { toPublicError } from '../request/failures.ts';
import { trustedCard } from './trusted-card.ts';

/** Fetches the extended card. In versions without an operation for it, it has its own URL. */
export async function fetchExtendedCard(operationClient: OperationClient, scope: CallScope): Promise<AgentCard> {
  const { url, dialect } = await operationClient.endpoints.load();
  if (dialect.operations.GetExtendedAgentCard !== undefined) {
    const { value, raw } = await operationClient.call('GetExtendedAgentCard', {}, scope);
    return operationClient.context.settings.verifyCard === undefined ? value : readTrusted(operationClient, scope, raw);
  }
  if (operationClient.card.capabilities.extendedAgentCard !== true) {
    throw new A2AError('UNSUPPORTED_OPERATION', 'The agent has no extended card');
  }
  try {
    return await fetchBesideEndpoint(operationClient, scope, new URL(`${url}/../agent/authenticatedExtendedCard`).href);
  } catch (error) {
    throw toPublicError(error, url);
  }
}

/** 0.2 §7.9: a plain request to `{url}/../agent/authenticatedExtendedCard`. */
async function fetchBesideEndpoint(
  operationClient: OperationClient,
  scope: CallScope,
  url: string,
): Promise<AgentCard> {
  const { context, card } = operationClient;
  const headers = { accept: 'application/json' };
  const request = { operation: 'GetExtendedAgentCard', method: 'GET', url, headers } as const;
  const auth = AuthAttempt.of(scope.credentials ?? context.credentials, card);
  const response = await exchange(context, scope, request, auth);
  const json = parseJson(await response.text(context.settings.limits.maxCardBytes, 'limits.maxCardBytes'));
  if (response.status === 200) return readTrusted(operationClient, scope, json);
  if (response.status === 401) throw new A2AError('UNAUTHENTICATED', 'The extended card requires authentication');
  if (response.status === 403)
    throw new A2AError('PERMISSION_DENIED', 'The agent does not show its extended card to this caller');
  throw new A2AError(
    'EXTENDED_AGENT_CARD_NOT_CONFIGURED',
    `The agent responded with ${response.status} to the request for its extended card`,
  );
}

async function readTrusted({ context }: OperationClient, scope: CallScope, json: unknown): Promise<AgentCard> {
  return (await readCard(await trustedCard(context, scope, json), context.settings.read)).value;
}
