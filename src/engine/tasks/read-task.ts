import type { Message } from '../../model/message.ts';
import type { Task } from '../../model/task.ts';
import type { EngineContext } from '../engine-context.ts';
import { shown, type TaskAccess } from './task-access.ts';
import { PAGE_PARTS, pagedTask } from './task-page.ts';

/**
 * Returns a task with its artifacts, and with as much of its history as requested and as one response can contain.
 *
 * @throws A2AError `TASK_NOT_FOUND`
 */
export async function readTask(
  { store }: EngineContext,
  access: TaskAccess,
  taskId: string,
  historyLength?: number,
): Promise<Task> {
  const parts = historyLength === undefined ? PAGE_PARTS : { ...PAGE_PARTS, history: historyLength };
  return pagedTask(shown(access, taskId, await store.read(access, taskId, parts)));
}

/** Returns the current task without waiting for the outcome, and makes it visible, so that the caller can read it again. */
export async function asItIs(
  engine: EngineContext,
  access: TaskAccess,
  taskId: string,
  findReply: () => Promise<Message | undefined>,
): Promise<{ readonly task: Task } | { readonly message: Message }> {
  const shown = await engine.store.append({ taskId, by: engine.node, guard: {}, visible: true });
  const isGone = shown.kind === 'rejected' && shown.record === undefined;
  const message = isGone ? await findReply() : undefined;
  return message === undefined ? { task: await readTask(engine, access, taskId) } : { message };
}
