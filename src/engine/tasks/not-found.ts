import { A2AError } from '../../errors.ts';

/** The error is the same for tasks that are unknown, removed, or owned by another caller. */
export function notFound(taskId: string): A2AError {
  return new A2AError('TASK_NOT_FOUND', `Task ${taskId} does not exist`, { details: { taskId } });
}

/** A missing configuration is reported as a missing task (1.0 §3.1.8), with a message that names the configuration. */
export function pushConfigNotFound(taskId: string, configId: string): A2AError {
  return new A2AError('TASK_NOT_FOUND', `Task ${taskId} has no push configuration ${configId}`, {
    details: { taskId, configId },
  });
}
