import type { JsonObject } from '../../model/json.ts';
import type { Input, OperationName } from '../../model/operation.ts';
import { type Dialect, operationCodec } from '../dialect.ts';
import { QUERY_MEMBERS } from './rest-params.ts';
import { type RestVerb, restPath } from './rest-routes.ts';
import { trimEndOf } from '../../support/trim-end.ts';

/** A request of the client: the inverse of `matchRest` and `restParams`. */
export interface RestRequest {
  readonly verb: RestVerb;
  /** Relative to the URL of the interface. In 0.3 it starts with `/v1`. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** `undefined` if the request has no body. */
  readonly body: JsonObject | undefined;
}

/** Encodes a request in a dialect that has REST. @throws A2AError `METHOD_NOT_FOUND` if it lacks the operation. */
export function encodeRestRequest<K extends OperationName>(
  dialect: Dialect,
  operation: K,
  input: Input<K>,
): RestRequest {
  const { params } = operationCodec(dialect, operation);
  const given = input as Readonly<Record<string, unknown>>;
  const isOf1 = dialect.version === '1.0';
  const ids = idsOf(operation, given);
  const { verb, path } =
    dialect.restPath?.(operation, ids.taskId) ??
    restPath({
      operation,
      prefix: isOf1 ? '' : '/v1',
      ...ids,
      ...(isOf1 && typeof given['tenant'] === 'string' && { tenant: given['tenant'] }),
    });
  const query = new URLSearchParams();
  for (const name of QUERY_MEMBERS[operation] ?? []) {
    const value = given[name];
    if (typeof value === 'string') query.set(name, value);
    else if (typeof value === 'number' || typeof value === 'boolean') query.set(name, String(value));
  }
  return {
    verb,
    path,
    query,
    body: verb === 'POST' ? bodyOf(operation, params.encode(input) as JsonObject) : undefined,
  };
}

function idsOf(
  operation: OperationName,
  given: Readonly<Record<string, unknown>>,
): { taskId?: string; configId?: string } {
  const { id, taskId } = given as { readonly id?: string; readonly taskId?: string };
  switch (operation) {
    case 'GetTask':
    case 'CancelTask':
    case 'SubscribeToTask':
      return id === undefined ? {} : { taskId: id };
    case 'GetTaskPushNotificationConfig':
    case 'DeleteTaskPushNotificationConfig':
      return { ...(taskId !== undefined && { taskId }), ...(id !== undefined && { configId: id }) };
    case 'CreateTaskPushNotificationConfig':
    case 'ListTaskPushNotificationConfigs':
      return taskId === undefined ? {} : { taskId };
    case 'SendMessage':
    case 'SendStreamingMessage':
    case 'ListTasks':
    case 'GetExtendedAgentCard':
      return {};
  }
}

/** The path already contains the tenant, and the ids of a request without other members. */
function bodyOf(operation: OperationName, params: JsonObject): JsonObject | undefined {
  const { tenant: _, ...body } = params;
  if (operation === 'SubscribeToTask') return undefined;
  if (operation !== 'CancelTask') return body;
  return body['metadata'] === undefined ? undefined : { metadata: body['metadata'] };
}

/**
 * The URL of a request to an interface. In 0.3, some cards include the `/v1` of the paths in their URL; it is added
 * only once.
 */
export function restUrl(interfaceUrl: string, { path, query }: Pick<RestRequest, 'path' | 'query'>): string {
  const [address = '', ...stated] = interfaceUrl.split('?');
  const base = trimEndOf(address, '/');
  const rest = base.endsWith('/v1') && path.startsWith('/v1/') ? path.slice('/v1'.length) : path;
  // The query of the interface's URL, such as `?code=…`, is part of every request.
  const queries = [stated.join('?'), query.toString()].filter((text) => text !== '');
  return queries.length === 0 ? `${base}${rest}` : `${base}${rest}?${queries.join('&')}`;
}
