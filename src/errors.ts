/**
 * The one table of error codes. Numbers, statuses and reasons appear nowhere else: bindings and dialects look them up
 * here, and an older dialect lists only its differences in its own `error.ts`.
 *
 * `rpc` is the JSON-RPC code, `http` the REST status, `grpc` the status name. The string key is also the
 * `ErrorInfo.reason` that 1.0 puts on the wire (1.0 §5.4, §9.5, §11.6).
 */
export const ERRORS = {
  TASK_NOT_FOUND: { rpc: -32001, http: 404, grpc: 'NOT_FOUND' },
  TASK_NOT_CANCELABLE: { rpc: -32002, http: 400, grpc: 'FAILED_PRECONDITION' },
  PUSH_NOTIFICATION_NOT_SUPPORTED: { rpc: -32003, http: 400, grpc: 'FAILED_PRECONDITION' },
  UNSUPPORTED_OPERATION: { rpc: -32004, http: 400, grpc: 'FAILED_PRECONDITION' },
  CONTENT_TYPE_NOT_SUPPORTED: { rpc: -32005, http: 400, grpc: 'INVALID_ARGUMENT' },
  INVALID_AGENT_RESPONSE: { rpc: -32006, http: 500, grpc: 'INTERNAL' },
  EXTENDED_AGENT_CARD_NOT_CONFIGURED: { rpc: -32007, http: 400, grpc: 'FAILED_PRECONDITION' },
  EXTENSION_SUPPORT_REQUIRED: { rpc: -32008, http: 400, grpc: 'FAILED_PRECONDITION' },
  VERSION_NOT_SUPPORTED: { rpc: -32009, http: 400, grpc: 'FAILED_PRECONDITION' },

  PARSE_ERROR: { rpc: -32700, http: 400, grpc: 'INVALID_ARGUMENT' },
  INVALID_REQUEST: { rpc: -32600, http: 400, grpc: 'INVALID_ARGUMENT' },
  METHOD_NOT_FOUND: { rpc: -32601, http: 404, grpc: 'UNIMPLEMENTED' },
  INVALID_PARAMS: { rpc: -32602, http: 400, grpc: 'INVALID_ARGUMENT' },
  INTERNAL_ERROR: { rpc: -32603, http: 500, grpc: 'INTERNAL' },

  UNAUTHENTICATED: { rpc: -32000, http: 401, grpc: 'UNAUTHENTICATED' },
  PERMISSION_DENIED: { rpc: -32000, http: 403, grpc: 'PERMISSION_DENIED' },
  RATE_LIMIT_EXCEEDED: { rpc: -32000, http: 429, grpc: 'RESOURCE_EXHAUSTED' },
  METHOD_NOT_ALLOWED: { rpc: -32600, http: 405, grpc: 'UNIMPLEMENTED' },
  REQUEST_TIMEOUT: { rpc: -32600, http: 408, grpc: 'DEADLINE_EXCEEDED' },
  PAYLOAD_TOO_LARGE: { rpc: -32600, http: 413, grpc: 'RESOURCE_EXHAUSTED' },
  UNAVAILABLE: { rpc: -32603, http: 503, grpc: 'UNAVAILABLE' },

  DISCOVERY_FAILED: { rpc: -32603, http: 502, grpc: 'UNAVAILABLE' },
  TRANSPORT_FAILED: { rpc: -32603, http: 502, grpc: 'UNAVAILABLE' },
  TIMEOUT: { rpc: -32603, http: 504, grpc: 'DEADLINE_EXCEEDED' },
  TASK_FAILED: { rpc: -32603, http: 502, grpc: 'ABORTED' },
  INPUT_REQUIRED: { rpc: -32603, http: 502, grpc: 'FAILED_PRECONDITION' },
  AUTH_REQUIRED: { rpc: -32603, http: 502, grpc: 'FAILED_PRECONDITION' },
} as const satisfies Record<string, ErrorSpec>;

/** The numbers of one error code on each binding. */
export interface ErrorSpec {
  /** The JSON-RPC error code. */
  readonly rpc: number;
  /** The HTTP status over REST. */
  readonly http: number;
  /** The gRPC status name. */
  readonly grpc: GrpcStatus;
}

/** The gRPC status names that the error table uses. */
export type GrpcStatus =
  | 'ABORTED'
  | 'DEADLINE_EXCEEDED'
  | 'FAILED_PRECONDITION'
  | 'INTERNAL'
  | 'INVALID_ARGUMENT'
  | 'NOT_FOUND'
  | 'PERMISSION_DENIED'
  | 'RESOURCE_EXHAUSTED'
  | 'UNAUTHENTICATED'
  | 'UNAVAILABLE'
  | 'UNIMPLEMENTED';

/** A code of `A2AError`. `docs/errors.md` describes each one with its cause and its fix. */
export type ErrorCode = keyof typeof ERRORS;

/** The `domain` of every `ErrorInfo` that the protocol defines (1.0 §9.5). */
export const ERROR_DOMAIN = 'a2a-protocol.org';

/** One problem in an input: its path, and the value that was expected there. */
export interface FieldViolation {
  /** The path from the root of the request: `message.parts[2].text`. Empty for the request itself. */
  readonly field: string;
  /** The expectation that the value does not meet, such as `expected a string`. */
  readonly description: string;
}

/** The optional facts of an `A2AError`. */
export interface A2AErrorOptions {
  /** Facts for programs, such as `taskId`. They are sent to the caller as strings, so keep them short and public. */
  readonly details?: Readonly<Record<string, string>>;
  /** The problems of an input, sent to the caller. */
  readonly violations?: readonly FieldViolation[];
  /** How long the caller should wait before it retries, in milliseconds. */
  readonly retryAfterMs?: number;
  /** The error that led to this one. It is logged and never sent to the caller. */
  readonly cause?: unknown;
}

/**
 * An error that callers may see. Distinguish errors by `code`; the message is for people and can change.
 *
 * Throw one from a handler to fail the task with a message that the caller can read. Any other error that a handler throws
 * reaches the caller as `INTERNAL_ERROR` with a reference to the log.
 *
 * @example
 * if (A2AError.is(error, 'TASK_NOT_FOUND')) retryElsewhere(error.details['taskId']);
 *
 * @example
 * throw new A2AError('INVALID_PARAMS', 'The order id is missing. Send it as data: { "orderId": "…" }.');
 */
export class A2AError<C extends ErrorCode = ErrorCode> extends Error {
  override readonly name = 'A2AError';
  /** The stable name of the error, and the `reason` of its `ErrorInfo` on the wire. */
  readonly code: C;
  /** Facts for programs, such as `taskId` or `limit`; empty if there are none. */
  readonly details: Readonly<Record<string, string>>;
  /** The problems of an input, each with its path; empty if there are none. */
  readonly violations: readonly FieldViolation[];
  /** How long to wait before a retry, in milliseconds; `undefined` if not specified. */
  readonly retryAfterMs: number | undefined;

  /** Creates an error with a code of the table and a message that callers may read. */
  constructor(code: C, message: string, options: A2AErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details ?? {};
    this.violations = options.violations ?? [];
    this.retryAfterMs = options.retryAfterMs;
  }

  /**
   * The section of the error reference that describes this code, relative to the package: `docs/errors.md#task_not_found`. It is
   * a getter of the prototype, so JSON and the wire never contain it.
   */
  get docs(): string {
    return errorDocs(this.code);
  }

  /**
   * Returns whether a value is an `A2AError`, or one with the given code. Compares name and code instead of the class, so errors
   * of another copy of this package in the same process match too.
   */
  static is<K extends ErrorCode = ErrorCode>(error: unknown, code?: K): error is A2AError<K> {
    if (!(error instanceof Error) || error.name !== 'A2AError' || !('code' in error)) return false;
    return code === undefined
      ? typeof error.code === 'string' && Object.hasOwn(ERRORS, error.code)
      : error.code === code;
  }
}

/** A copy of an error with this message, and with the given members replaced. */
export function copyError(
  error: A2AError,
  message: string,
  { code = error.code, ...changes }: A2AErrorOptions & { readonly code?: ErrorCode },
): A2AError {
  const { details, violations, retryAfterMs, cause } = error;
  const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
  return new A2AError(code, message, { details, violations, cause, ...wait, ...changes });
}

/** The error for one field of an input that does not meet its description. */
export function invalidField(field: string, description: string, details: A2AError['details'] = {}): A2AError {
  return new A2AError('INVALID_PARAMS', `${field}: ${description}`, { details, violations: [{ field, description }] });
}

/** The section of the error reference that describes a code. */
export function errorDocs(code: ErrorCode): string {
  return `docs/errors.md#${code.toLowerCase()}`;
}

/** A registered symbol, so that two copies of this package in one process recognise each other's marks. */
const NESTED = Symbol.for('tandem-a2a.nested-error');

/**
 * Marks an error from a call that this process made to another agent. Its message names internal addresses and quotes the other
 * agent, so the caller of this process must not see it. A new error that a handler creates from it has no mark.
 */
export function markNested<E>(error: E): E {
  if (error instanceof Error && Object.isExtensible(error)) Object.defineProperty(error, NESTED, { value: true });
  return error;
}

/** Returns whether an error comes from a call to another agent and must not reach the caller. */
export function isNested(error: unknown): boolean {
  return error instanceof Error && NESTED in error;
}
