import { A2AError } from '../../errors.ts';
import type { Part } from '../../model/part.ts';
import { decodeBase64 } from '../../support/bytes.ts';
import { AuthAttempt } from '../auth/credentials.ts';
import type { CallScope } from '../request/call-scope.ts';
import type { OperationClient } from '../request/operation-client.ts';
import { exchange } from '../request/exchange.ts';
import { toPublicError } from '../request/failures.ts';

/**
 * Returns the bytes of a part. A URL is fetched, but not from private networks, and with credentials only from origins that get them
 * anyway.
 *
 * @throws A2AError `TRANSPORT_FAILED`, or `INVALID_AGENT_RESPONSE` if the file is larger than the limit.
 */
export async function bytesOfPart(operationClient: OperationClient, scope: CallScope, part: Part): Promise<Uint8Array> {
  if ('text' in part) return new TextEncoder().encode(part.text);
  if ('data' in part) return new TextEncoder().encode(JSON.stringify(part.data));
  if ('raw' in part) return decodeBase64(part.raw);
  const { context, card } = operationClient;
  const auth = AuthAttempt.of(scope.credentials ?? context.credentials, card);
  try {
    const request = { operation: 'File', method: 'GET', url: part.url, headers: {} } as const;
    const response = await exchange(context, scope, request, auth);
    if (response.status === 200) {
      const bytes = await response.bytes(context.settings.limits.maxFileBytes, 'limits.maxFileBytes');
      scope.deadline.check();
      return bytes;
    }
    response.discard();
    const message = `Could not download ${part.url}: the server responded with ${response.status}`;
    throw new A2AError('TRANSPORT_FAILED', message, { details: { sent: 'no' } });
  } catch (error) {
    throw toPublicError(error, part.url);
  }
}
