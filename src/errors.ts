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

/** What one error looks like on each binding. */
export interface ErrorSpec {
  readonly rpc: number;
  readonly http: number;
  readonly grpc: GrpcStatus;
}

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

export type ErrorCode = keyof typeof ERRORS;

/** The domain of every `ErrorInfo` that the protocol defines (1.0 §9.5). */
export const ERROR_DOMAIN = 'a2a-protocol.org';

/** One thing that is wrong in an input: where, and what was expected there. */
export interface FieldViolation {
  /** Path from the request message on: `message.parts[2].text`. Empty for the message itself. */
  readonly field: string;
  readonly description: string;
}

export interface A2AErrorOptions {
  /** Facts a program can use, such as `taskId`. Values cross the wire as strings, so keep them short and public. */
  readonly details?: Readonly<Record<string, string>>;
  readonly violations?: readonly FieldViolation[];
  /** How long a caller should wait before trying again. */
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

/**
 * Every error that this library lets a stranger see, told apart by `code`.
 *
 * @example
 * if (A2AError.is(error, 'TASK_NOT_FOUND')) retryElsewhere(error.details['taskId']);
 */
export class A2AError<C extends ErrorCode = ErrorCode> extends Error {
  override readonly name = 'A2AError';
  readonly code: C;
  readonly details: Readonly<Record<string, string>>;
  readonly violations: readonly FieldViolation[];
  readonly retryAfterMs: number | undefined;

  constructor(code: C, message: string, options: A2AErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details ?? {};
    this.violations = options.violations ?? [];
    this.retryAfterMs = options.retryAfterMs;
  }

  /** Narrows by name and code, never by identity, so that two copies of this package in one process are no trouble. */
  static is<K extends ErrorCode = ErrorCode>(error: unknown, code?: K): error is A2AError<K> {
    if (!(error instanceof Error) || error.name !== 'A2AError' || !('code' in error)) return false;
    return code === undefined
      ? typeof error.code === 'string' && Object.hasOwn(ERRORS, error.code)
      : error.code === code;
  }
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

/** Whether an error comes from a call to another agent and must stay in the log. */
export function isNested(error: unknown): boolean {
  return error instanceof Error && NESTED in error;
}
