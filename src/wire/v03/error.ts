import type { A2AError, ErrorCode } from '../../errors.ts';
import type { JsonObject } from '../../model/json.ts';
import { createErrorCodec, type ErrorDialect } from '../error-codec.ts';
import { encodeDetails } from '../error-details.ts';

/** Error types by the names of the specification. Other errors are identified by their HTTP status. */
const TYPES: Readonly<Partial<Record<ErrorCode, string>>> = {
  TASK_NOT_FOUND: 'TaskNotFoundError',
  TASK_NOT_CANCELABLE: 'TaskNotCancelableError',
  PUSH_NOTIFICATION_NOT_SUPPORTED: 'PushNotificationNotSupportedError',
  UNSUPPORTED_OPERATION: 'UnsupportedOperationError',
  CONTENT_TYPE_NOT_SUPPORTED: 'ContentTypeNotSupportedError',
  INVALID_AGENT_RESPONSE: 'InvalidAgentResponseError',
  EXTENDED_AGENT_CARD_NOT_CONFIGURED: 'ExtendedAgentCardNotConfiguredError',
  EXTENSION_SUPPORT_REQUIRED: 'ExtensionSupportRequiredError',
  VERSION_NOT_SUPPORTED: 'VersionNotSupportedError',
  PARSE_ERROR: 'JSONParseError',
  INVALID_REQUEST: 'InvalidRequestError',
  METHOD_NOT_FOUND: 'MethodNotFoundError',
  INVALID_PARAMS: 'InvalidParamsError',
  INTERNAL_ERROR: 'InternalError',
};

/**
 * Before 1.0 there are no typed details: `data` is an object. An error that 1.0 added uses the number of another one,
 * and the reason in `data` identifies it.
 */
export const oldErrors: ErrorDialect = {
  rpc: { EXTENSION_SUPPORT_REQUIRED: -32004 },
  // 0.3 does not define the statuses. These are sent by both reference SDKs, where they agree.
  http: {
    TASK_NOT_CANCELABLE: 409,
    CONTENT_TYPE_NOT_SUPPORTED: 415,
    INVALID_AGENT_RESPONSE: 502,
    EXTENDED_AGENT_CARD_NOT_CONFIGURED: 404,
  },
  data: factsOf,
  /**
   * A body that all known clients can decode: number at the top level and inside `error`, message at the top level, and
   * `type`, by which the Python SDK 1.x identifies errors of 0.3.
   */
  restBody(error, { rpc }) {
    const { code, message } = error;
    const type = TYPES[code];
    return {
      code: rpc,
      message,
      ...(type !== undefined && { type }),
      error: { code: rpc, message, data: factsOf(error) },
    };
  },
};

function factsOf(error: A2AError): JsonObject {
  const reason: ErrorCode = error.code;
  const facts: JsonObject = { ...error.details, reason };
  if (error.violations.length === 0) return facts;
  return { ...facts, fieldViolations: error.violations.map(({ field, description }) => ({ field, description })) };
}

/** 0.3 does not define `data`, and the Go SDK 2.x accepts only a list of typed details there, as in 1.0. */
export const errors = createErrorCodec({ ...oldErrors, data: encodeDetails });
