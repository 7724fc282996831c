import type { Task } from '../model/task.ts';

/** The task with its latest messages only; without a number, with all of them. None: no member at all (1.0 §3.2.4). */
export function withHistory(task: Task, length: number | undefined): Task {
  const { history } = task;
  if (length === undefined || history === undefined || history.length <= length) return task;
  const { history: _, ...rest } = task;
  return length === 0 ? rest : { ...rest, history: history.slice(-length) };
}
