import type { Caller } from '../engine/handler.ts';
import type { A2AError, ErrorCode } from '../errors.ts';
import type { AuditFacts } from '../observe/audit.ts';
import type { LogFields } from '../observe/log.ts';
import { parseTrace } from '../observe/trace-context.ts';
import { defined } from '../support/defined.ts';
import type { Binding } from '../wire/offer.ts';
import { isObject } from '../support/check.ts';
import type { HttpRequest } from './http.ts';
import { DEFAULT_LIMITS } from './limits/limit-settings.ts';

/** A request that failed, with the facts that were known before it failed. */
export interface FailedRequest {
  readonly request: HttpRequest;
  /** Absent if the request is not for an operation. */
  readonly binding?: Binding;
  readonly caller?: Caller | undefined;
  readonly operation?: string | undefined;
  readonly params?: unknown;
}

/** The largest part of a path in the audit record. */
const MAX_PATH = 100;

/** Longer values are not ids. */
const ID = /^[\x21-\x7e]{1,128}$/;

/** The fields of every log event about a request. The caller is only in the audit record. */
export function requestFields({ request, binding, operation, params }: FailedRequest): LogFields {
  const { taskId, contextId } = idsIn(params);
  return defined({
    binding,
    operation,
    taskId,
    contextId,
    traceId: traceIdOf(request),
    requestId: requestIdOf(request),
  });
}

export function auditFacts(
  { request, binding, caller, operation, params }: FailedRequest,
  error: A2AError,
): AuditFacts {
  const { scope, guard, error: wrong } = error.details;
  return defined({
    caller: caller?.id,
    address: request.remoteAddress,
    operation,
    binding,
    path: request.path?.slice(0, MAX_PATH),
    taskId: idsIn(params).taskId,
    requestId: requestIdOf(request),
    traceId: traceIdOf(request),
    detail: scope ?? limitOfError(error) ?? guard ?? wrong,
  });
}

function requestIdOf(request: HttpRequest): string | undefined {
  return idOf(request.header('x-request-id'));
}

function traceIdOf(request: HttpRequest): string | undefined {
  return parseTrace(request.header('traceparent'))?.traceId;
}

/** The ids in params of any operation and version: a message names its task, other operations have its id. */
export function idsIn(params: unknown): {
  readonly taskId?: string | undefined;
  readonly contextId?: string | undefined;
} {
  if (!isObject(params)) return {};
  const message = isObject(params['message']) ? params['message'] : params;
  const taskId = idOf(message['taskId']) ?? idOf(params['id']);
  return { taskId, contextId: idOf(message['contextId']) };
}

function idOf(value: unknown): string | undefined {
  return typeof value === 'string' && ID.test(value) ? value : undefined;
}

/** The names of limits in metrics and logs: those of the options, `body` for `maxBodyBytes`, and `bodyPace`. */
const NAMES: ReadonlySet<string> = new Set([...Object.keys(DEFAULT_LIMITS), 'body', 'bodyPace']);

const BY_CODE: Readonly<Partial<Record<ErrorCode, string>>> = {
  RATE_LIMIT_EXCEEDED: 'rate',
  PAYLOAD_TOO_LARGE: 'body',
};

/** The limit that an error is about, if any. Handlers may throw errors with any details, so unknown names are ignored. */
export function limitOfError({ code, details }: A2AError): string | undefined {
  const { limit } = details;
  return limit !== undefined && NAMES.has(limit) ? limit : BY_CODE[code];
}
