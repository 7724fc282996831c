import { A2AError } from '../../errors.ts';
import type { RequestContext } from '../../host/request-context.ts';
import type { SendMessageResponse } from '../../model/operation.ts';
import type { Task } from '../../model/task.ts';
import { isObject } from '../../support/check.ts';
import type { DoneOperation } from './operation.ts';

// An operation that changes something has done so by the time its response cannot be sent. The error states that, and how the
// caller gets the result. It asks the caller to try again only if a repeat is recognised, because clients take that for a
// request that was not begun.

type Asked = Pick<RequestContext, 'caller' | 'idempotencyKey'>;

export function undeliveredCancel(error: A2AError, _context: Asked, { output: { id } }: DoneOperation<Task>): A2AError {
  return withAdvice(error, id, 'The task was canceled; get the task to see its result', true);
}

export function undeliveredSend(error: A2AError, context: Asked, done: DoneOperation<SendMessageResponse>): A2AError {
  const { output } = done;
  const taskId = 'task' in output ? output.task.id : undefined;
  const repeat = repeatedBy(context, done);
  const ways = [
    ...(taskId === undefined ? [] : [`get task ${taskId}`]),
    ...(repeat === undefined ? [] : [`repeat the request with the same ${repeat}, which does not run it again`]),
  ];
  const advice = ways.length === 0 ? 'its result is lost: send an Idempotency-Key with messages' : ways.join(', or ');
  return withAdvice(error, taskId, `The message was accepted and processed; ${advice}`, repeat !== undefined);
}

/** The member that identifies a repeated message; undefined if a repeat would be a new message. */
function repeatedBy(
  { caller, idempotencyKey }: Asked,
  { params, deduplicateByMessageId }: DoneOperation<unknown>,
): string | undefined {
  if (idempotencyKey !== undefined) return 'Idempotency-Key';
  if (!deduplicateByMessageId) return undefined;
  // Without a messageId, as in 0.1, each repeat gets another one.
  const message = isObject(params) ? params['message'] : undefined;
  const hasId = isObject(message) && typeof message['messageId'] === 'string';
  return caller.isVerified && hasId ? 'messageId' : undefined;
}

function withAdvice(
  { code, message, details, retryAfterMs }: A2AError,
  taskId: string | undefined,
  advice: string,
  isRepeatable: boolean,
): A2AError {
  return new A2AError(code, `${message}. ${advice}`, {
    details: { ...details, accepted: 'true', ...(taskId !== undefined && { taskId }) },
    ...(isRepeatable && retryAfterMs !== undefined && { retryAfterMs }),
  });
}
