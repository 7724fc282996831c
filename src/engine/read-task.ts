import type { Message } from '../model/message.ts';
import type { Task } from '../model/task.ts';
import type { Core } from './core.ts';
import { taskOf } from './event-body.ts';
import { shown, type TaskAccess } from './task-access.ts';

/** A task with its artifacts, and with all of its history or the end of it. @throws A2AError `TASK_NOT_FOUND` */
export async function readTask(
  { store }: Core,
  access: TaskAccess,
  taskId: string,
  historyLength?: number,
): Promise<Task> {
  const parts = historyLength === undefined ? { artifacts: true } : { artifacts: true, history: historyLength };
  return taskOf(shown(access, taskId, await store.read(access, taskId, parts)));
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
