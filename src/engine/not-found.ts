import { A2AError } from '../errors.ts';

/** Unknown, gone, or somebody else's: it looks the same. */
export function notFound(taskId: string): A2AError {
  return new A2AError('TASK_NOT_FOUND', `Task ${taskId} does not exist`, { details: { taskId } });
}

/** To callers a missing configuration is a missing task (1.0 §3.1.8), but one that says what is missing. */
export function pushConfigNotFound(taskId: string, configId: string): A2AError {
  return new A2AError('TASK_NOT_FOUND', `Task ${taskId} has no push configuration ${configId}`, {
    details: { taskId, configId },
  });
}
