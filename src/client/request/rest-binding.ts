import { A2AError } from '../../errors.ts';
import type { OperationName } from '../../model/operation.ts';
import { isObject } from '../../wire/codec.ts';
import { decodeResult, type Dialect } from '../../wire/dialect.ts';
import { encodeRestRequest, restUrl } from '../../wire/rest/rest-request.ts';
import type { Binding } from './binding.ts';
import { isNoSuchPath, throwIfNoAgent } from './failures.ts';
import { peerError } from './response-error.ts';

export const restBinding: Binding = {
  encode({ url, dialect }, operation, input) {
    const request = encodeRestRequest(dialect, operation, input);
    const body = request.body === undefined ? undefined : JSON.stringify(request.body);
    const contentType = body === undefined ? undefined : dialect.mediaType;
    return { method: request.verb, url: restUrl(url, request), contentType, body };
  },

  result({ url, dialect }, operation, { status, json }, read) {
    if (status >= 400) {
      if (!isErrorBody(json) && !isOfTask(dialect, operation, json)) throwIfNoAgent(url, status, json);
      throw peerError(dialect.errors.decodeRest(status, json));
    }
    // The response to a deletion has no body.
    const isNothing = operation === 'DeleteTaskPushNotificationConfig';
    if (json === undefined && !isNothing) {
      throw new A2AError('INVALID_AGENT_RESPONSE', `The agent responded with ${status} but without a result`);
    }
    return decodeResult(dialect, operation, isNothing ? null : json, read);
  },

  item({ dialect }, operation, json, read) {
    if (isErrorBody(json)) throw peerError(dialect.errors.decodeRest(statusOf(json), json));
    return decodeResult(dialect, operation, json, read);
  },
};

/** Whether a body is an error in one of the formats of agents. Error pages of web servers are not. */
function isErrorBody(json: unknown): boolean {
  if (!isObject(json)) return false;
  return isObject(json['error']) || (typeof json['code'] === 'number' && typeof json['message'] === 'string');
}

/** Operations whose path names a task. */
const ON_ONE_TASK = new Set<OperationName>([
  'GetTask',
  'CancelTask',
  'SubscribeToTask',
  'CreateTaskPushNotificationConfig',
  'GetTaskPushNotificationConfig',
  'ListTaskPushNotificationConfigs',
  'DeleteTaskPushNotificationConfig',
]);

/**
 * Whether an error without a code is about the task that the path names. The flat form has `{"error": "Task not found"}` for an
 * unknown task, as web servers have for an unknown path. The Python SDK 0.3 has `{"message": "Task not found"}`: 0.3 leaves
 * the body open, and a web server or gateway does not know what a task is.
 */
function isOfTask({ name }: Dialect, operation: OperationName, json: unknown): boolean {
  if (!isObject(json) || !ON_ONE_TASK.has(operation)) return false;
  if (name === 'flat-task') return operation === 'GetTask' && typeof json['error'] === 'string';
  return typeof json['message'] === 'string' && /\btask\b/i.test(json['message']) && !isNoSuchPath(json);
}

/** The HTTP status of an error in a stream: in the 1.0 format the body contains it. */
function statusOf(json: unknown): number {
  const error = isObject(json) && isObject(json['error']) ? json['error'] : json;
  const code = isObject(error) ? error['code'] : undefined;
  return typeof code === 'number' && code >= 400 && code < 600 ? code : 500;
}
