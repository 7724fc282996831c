import type { A2AError, ErrorCode } from '../../errors.ts';
import type { JsonObject } from '../../model/json.ts';
import { createErrorCodec, type ErrorDialect } from '../error-codec.ts';
import { encodeDetails } from '../error-details.ts';

/** Errors by the names of the specification. Those of HTTP itself have a status that says as much. */
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
 * The specifications before 1.0 define no typed details: `data` is an object of facts. What 1.0 added has to borrow a number, and the
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
  /**
   * Readable by all kinds of client in the field: number at the top, inside `error`, a top-level message, and the `type` that the
   * Python SDK 1.x goes by when it speaks 0.3.
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

/** 0.3 leaves `data` open, and the Go SDK 2.x reads nothing but a list of typed details there, as in 1.0. */
export const errors = createErrorCodec({ ...oldErrors, data: encodeDetails });
