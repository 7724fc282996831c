import { A2AError } from '../errors.ts';

/** Unknown, gone, or somebody else's: it looks the same. */
export function notFound(taskId: string): A2AError {
  return new A2AError('TASK_NOT_FOUND', `Task ${taskId} does not exist`, { details: { taskId } });
}
