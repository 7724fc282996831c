import type { CallScope } from '../client/request/call-scope.ts';
import type { OperationClient } from '../client/request/operation-client.ts';
import { A2AError } from '../errors.ts';
import type { Message } from '../model/message.ts';
import type { Task } from '../model/task.ts';
import { isPassing } from '../client/task/poll.ts';
import { withQuestionId } from './question-id.ts';

const PAGE_SIZE = 50;
const MAX_PAGES = 5;
/** How much of the history of each task is requested, to find the message in it. */
const HISTORY_LENGTH = 50;

/**
 * Finds the task of a message that was sent without a response, by listing the tasks of its context. The history must show the message:
 * a task of the same context may belong to another call.
 *
 * @returns `undefined` if the peer does not list the task, or rejects the request.
 */
export async function findTask(
  operations: OperationClient,
  scope: CallScope,
  message: Message,
): Promise<Task | undefined> {
  const { contextId, messageId } = message;
  if (contextId === undefined) return undefined;
  let pageToken = '';
  for (let page = 0; page < MAX_PAGES; page++) {
    const request = {
      contextId,
      pageSize: PAGE_SIZE,
      historyLength: HISTORY_LENGTH,
      includeArtifacts: true,
      ...(pageToken !== '' && { pageToken }),
    };
    const found = await operations.call('ListTasks', request, scope).catch(undefinedIfRejected);
    if (found === undefined) return undefined;
    const { tasks, nextPageToken } = found.value;
    // The most recent task comes first. If the peer has two tasks for the message, the first one is the one that it has worked on longer.
    const task = tasks.findLast(({ history = [] }) => history.some((each) => each.messageId === messageId));
    if (task !== undefined) return withQuestionId(task, found.raw);
    if (nextPageToken === '') return undefined;
    pageToken = nextPageToken;
  }
  return undefined;
}

function undefinedIfRejected(error: unknown): undefined {
  if (!A2AError.is(error) || isPassing(error) || A2AError.is(error, 'TIMEOUT')) throw error;
}
