import { questionOf } from '../client/task-question.ts';
import { isPaused } from '../model/state.ts';
import type { Task } from '../model/task.ts';
import { digest } from '../support/secret/digest.ts';

/**
 * Gives the question of a task an id that is the same each time the task is read. Peers before 0.2, and some others, send messages without
 * ids, and the decoder generates a new one each time.
 *
 * @param raw The task as the peer sent it.
 */
export function withQuestionId(task: Task, raw: unknown): Task {
  const { status } = task;
  const { state, message, timestamp } = status;
  if (message === undefined || !isPaused(state)) return task;
  // Agents made with this library list the ids of their questions in the metadata, in every version.
  const { id = message.messageId } = questionOf(task) ?? {};
  const isSent = JSON.stringify(raw ?? null).includes(id);
  const messageId = isSent ? id : digest(JSON.stringify([task.id, timestamp, message.parts]));
  if (messageId === message.messageId) return task;
  return { ...task, status: { ...status, message: { ...message, messageId } } };
}
