import type { Message } from '../model/message.ts';
import type { Task } from '../model/task.ts';
import type { Core } from './core.ts';
import { shown, type TaskAccess } from './task-access.ts';
import { PAGE_PARTS, pagedTask } from './task-page.ts';

/**
 * A task with its artifacts, and with as much of its history as was asked for and as one response carries.
 *
 * @throws A2AError `TASK_NOT_FOUND`
 */
export async function readTask(
  { store }: Core,
  access: TaskAccess,
  taskId: string,
  historyLength?: number,
): Promise<Task> {
  const parts = historyLength === undefined ? PAGE_PARTS : { ...PAGE_PARTS, history: historyLength };
  return pagedTask(shown(access, taskId, await store.read(access, taskId, parts)));
}

/** For those who do not wait for the outcome. Who is shown a task can ask for it. */
export async function asItIs(
  core: Core,
  access: TaskAccess,
  taskId: string,
  findReply: () => Promise<Message | undefined>,
): Promise<{ readonly task: Task } | { readonly message: Message }> {
  const shown = await core.store.append({ taskId, by: core.node, guard: {}, visible: true });
  const isGone = shown.kind === 'refused' && shown.record === undefined;
  const message = isGone ? await findReply() : undefined;
  return message === undefined ? { task: await readTask(core, access, taskId) } : { message };
}
