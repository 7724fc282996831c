import { A2AError } from '../errors.ts';
import type { Part } from '../model/part.ts';
import { decodeBase64 } from '../support/bytes.ts';
import { joinBytes } from '../support/join-bytes.ts';
import { AuthAttempt } from './credentials.ts';
import type { CallScope } from './call-scope.ts';
import type { Caller } from './caller.ts';
import { exchange } from './exchange.ts';
import { toPublicError } from './failures.ts';
import type { TransportResponse } from './transport/transport.ts';

/**
 * The bytes of a part. Where it is only an address, they are fetched: not from private networks, and with credentials only
 * from where the agent itself is.
 *
 * @throws A2AError `TRANSPORT_FAILED`, or `INVALID_AGENT_RESPONSE` if there is more than the limit allows.
 */
export async function bytesOfPart(caller: Caller, scope: CallScope, part: Part): Promise<Uint8Array> {
  if ('text' in part) return new TextEncoder().encode(part.text);
  if ('data' in part) return new TextEncoder().encode(JSON.stringify(part.data));
  if ('raw' in part) return decodeBase64(part.raw);
  const { wiring, card } = caller;
  const { deadline, trace } = scope;
  const passage = { deadline, trace, auth: wiring.credentials && new AuthAttempt(), card };
  try {
    const response = await exchange(wiring, passage, { operation: 'File', method: 'GET', url: part.url, headers: {} });
    if (response.status === 200) {
      const bytes = await readBytes(response, wiring.settings.limits.maxFileBytes);
      deadline.check();
      return bytes;
    }
    response.discard();
    throw new A2AError('TRANSPORT_FAILED', `${part.url} answered ${response.status}`, { details: { sent: 'no' } });
  } catch (error) {
    throw toPublicError(error, part.url);
  }
}

async function readBytes(response: TransportResponse, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.chunks()) {
    length += chunk.length;
    if (length > maxBytes) {
      throw new A2AError('INVALID_AGENT_RESPONSE', `The file has more than ${maxBytes} bytes (maxFileBytes)`);
    }
    chunks.push(chunk);
  }
  return joinBytes(chunks, length);
}
