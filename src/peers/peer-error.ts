import { A2AError, type ErrorCode } from '../errors.ts';
import { isRejectedUnread } from '../client/request/response-error.ts';
import { PeerError } from '../engine/calls/peers.ts';

/** Codes after which the same request may succeed later. All others mean that the peer rejects it. */
const KINDS: Readonly<Partial<Record<ErrorCode, PeerError['kind']>>> = {
  TRANSPORT_FAILED: 'unreachable',
  DISCOVERY_FAILED: 'unreachable',
  UNAVAILABLE: 'unreachable',
  RATE_LIMIT_EXCEEDED: 'unreachable',
  TIMEOUT: 'unreachable',
  REQUEST_TIMEOUT: 'unreachable',
  // The peer may have started to work, so only what it reveals about the task shows the outcome.
  INTERNAL_ERROR: 'unreachable',
  TASK_NOT_FOUND: 'not-found',
  TASK_NOT_CANCELABLE: 'not-cancelable',
};

const SENTENCES: Readonly<Record<PeerError['kind'], string>> = {
  unreachable: 'could not be reached',
  rejected: 'rejected the request',
  'not-found': 'does not know the task',
  'not-cancelable': 'cannot cancel the task',
};

/** The most characters of a text of the peer in a message. */
const MAX_TEXT = 500;

/** Converts an error of the client. Other errors are returned unchanged. `isUnsent` is true if nothing was sent yet. */
export function toPeerError(peer: string, error: unknown, isUnsent = false): unknown {
  if (!A2AError.is(error)) return error;
  const { code, message, retryAfterMs } = error;
  const kind = KINDS[code] ?? 'rejected';
  const text = message.length > MAX_TEXT ? `${message.slice(0, MAX_TEXT)}…` : message;
  return new PeerError(kind, `${peer} ${SENTENCES[kind]}: ${text}`, {
    cause: error,
    isUnsent: isUnsent || wasNotSent(error),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
}

/**
 * Whether the peer cannot have processed the request: it was not sent, no agent is at the address, or it was rejected before it was read.
 * Only with `Retry-After` does a 503 mean that.
 */
function wasNotSent(error: A2AError): boolean {
  if (error.details['sent'] === 'no' || error.code === 'DISCOVERY_FAILED') return true;
  if (!isRejectedUnread(error)) return false;
  return error.code !== 'UNAVAILABLE' || error.retryAfterMs !== undefined;
}
