import { A2AError } from '../../errors.ts';
import { defined } from '../../support/defined.ts';
import type { ErrorCodec } from '../dialect.ts';
import { createErrorCodec } from '../error-codec.ts';
import { decodeDetails } from '../error-details.ts';
import { oldErrors } from '../v03/error.ts';

const STREAMING_NOT_SUPPORTED = -32006;
const INVALID_TASK_STATE = -32009;

/** 0.1 has numbers of its own from -32006 on; what later versions put there borrows a general one. */
const codec = createErrorCodec({
  ...oldErrors,
  rpc: {
    UNAUTHENTICATED: -32007,
    PERMISSION_DENIED: -32008,
    RATE_LIMIT_EXCEEDED: -32010,
    UNAVAILABLE: -32011,
    INVALID_AGENT_RESPONSE: -32603,
    EXTENDED_AGENT_CARD_NOT_CONFIGURED: -32004,
    EXTENSION_SUPPORT_REQUIRED: -32602,
    VERSION_NOT_SUPPORTED: -32600,
  },
});

/**
 * Where the later versions say UNSUPPORTED_OPERATION, 0.1 says why. The error's details tell: the `capability` that the
 * agent does not have, or the `state` of the task that forbids it.
 */
function numberOf({ code, details }: A2AError): number | undefined {
  if (code !== 'UNSUPPORTED_OPERATION') return undefined;
  if (details['capability'] === 'streaming') return STREAMING_NOT_SUPPORTED;
  return details['state'] === undefined ? undefined : INVALID_TASK_STATE;
}

/** What a number of 0.1 says that the later code does not. Which state it was, only the peer knows. */
const MEANING: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  [STREAMING_NOT_SUPPORTED]: { capability: 'streaming' },
  [INVALID_TASK_STATE]: { state: 'TASK_STATE_UNSPECIFIED' },
};

export const errors: ErrorCodec = {
  ...codec,

  encodeRpc(error) {
    const object = codec.encodeRpc(error);
    return { ...object, code: numberOf(error) ?? object.code };
  },

  decodeRpc(error) {
    const decoded = codec.decodeRpc(error);
    const meaning = MEANING[error.code];
    // A reason in words outweighs the number.
    const { code = 'UNSUPPORTED_OPERATION' } = decodeDetails(error.data);
    if (meaning === undefined || code !== 'UNSUPPORTED_OPERATION') return decoded;
    const { message, violations, retryAfterMs, cause } = decoded;
    const details = { ...meaning, ...decoded.details };
    return new A2AError(code, message, defined({ details, violations, retryAfterMs, cause }));
  },
};
