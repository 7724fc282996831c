import type { Caller } from '../engine/handler.ts';
import type { A2AError } from '../errors.ts';
import type { AuditFacts } from '../observe/audit.ts';
import type { LogFields } from '../observe/log.ts';
import { parseTrace } from '../observe/trace-context.ts';
import { defined } from '../support/defined.ts';
import type { Binding } from '../wire/offer.ts';
import { isObject } from './check.ts';
import { limitOf } from './known-limits.ts';
import type { HttpRequest } from './http.ts';

/** A request that is answered with an error, as far as it was understood before that. */
export interface FailedRequest {
  readonly request: HttpRequest;
  /** Absent where no operation is asked for. */
  readonly binding?: Binding;
  readonly caller?: Caller | undefined;
  readonly operation?: string | undefined;
  /** As they came. */
  readonly params?: unknown;
}

/** What is longer is nobody's way to a task. */
const MAX_PATH = 100;

/** Ids are short; what is longer is something else. */
const ID = /^[\x21-\x7e]{1,128}$/;

/** What every line of the log about a request says of it. Who called is for the audit alone. */
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
    detail: scope ?? limitOf(error) ?? guard ?? wrong,
  });
}

function requestIdOf(request: HttpRequest): string | undefined {
  return idOf(request.header('x-request-id'));
}

function traceIdOf(request: HttpRequest): string | undefined {
  return parseTrace(request.header('traceparent'))?.traceId;
}

/** Of whatever operation and version: a message names its task, all else asks for one by its id. */
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
