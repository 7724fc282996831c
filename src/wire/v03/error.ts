import type { A2AError, ErrorCode } from '../../errors.ts';
import type { JsonObject } from '../../model/json.ts';
import { createErrorCodec, type ErrorDialect } from '../error-codec.ts';

/**
 * Errors before 1.0 have no typed details: `data` is an object of facts. What 1.0 added has to borrow a number, and the
 * reason inside `data` still tells it apart.
 */
export const oldErrors: ErrorDialect = {
  rpc: { EXTENSION_SUPPORT_REQUIRED: -32004 },
  // 0.3 leaves the statuses open; these are what its two reference SDKs send, where they agree.
  http: {
    TASK_NOT_CANCELABLE: 409,
    CONTENT_TYPE_NOT_SUPPORTED: 415,
    INVALID_AGENT_RESPONSE: 502,
    EXTENDED_AGENT_CARD_NOT_CONFIGURED: 404,
  },
  data: factsOf,
  /** Readable by all three kinds of client in the field: number at the top, inside `error`, and a top-level message. */
  restBody(error, { rpc }) {
    const { message } = error;
    return { code: rpc, message, error: { code: rpc, message, data: factsOf(error) } };
  },
};

function factsOf(error: A2AError): JsonObject {
  const reason: ErrorCode = error.code;
  const facts: JsonObject = { ...error.details, reason };
  if (error.violations.length === 0) return facts;
  return { ...facts, fieldViolations: error.violations.map(({ field, description }) => ({ field, description })) };
}

export const errors = createErrorCodec(oldErrors);
