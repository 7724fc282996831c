import { type A2AError, copyError } from '../../errors.ts';
import type { ErrorCodec } from '../dialect.ts';
import { createErrorCodec } from '../error-codec.ts';
import { decodeDetails } from '../error-details.ts';
import { oldErrors } from '../v03/error.ts';

const STREAMING_NOT_SUPPORTED = -32006;
const INVALID_TASK_STATE = -32009;

/** The numbers of 0.1 differ from -32006 on. Later errors with these numbers use a general number instead. */
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
 * 0.1 has specific errors for UNSUPPORTED_OPERATION. The details select one: `capability`, which the agent lacks, or
 * `state`, which does not allow the operation.
 */
function numberOf({ code, details }: A2AError): number | undefined {
  if (code !== 'UNSUPPORTED_OPERATION') return undefined;
  if (details['capability'] === 'streaming') return STREAMING_NOT_SUPPORTED;
  return details['state'] === undefined ? undefined : INVALID_TASK_STATE;
}

/** The details that a 0.1 number implies. The state itself is unknown. */
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
    // A reason takes precedence over the number.
    const { code = 'UNSUPPORTED_OPERATION' } = decodeDetails(error.data);
    if (meaning === undefined || code !== 'UNSUPPORTED_OPERATION') return decoded;
    return copyError(decoded, decoded.message, { code, details: { ...meaning, ...decoded.details } });
  },
};
