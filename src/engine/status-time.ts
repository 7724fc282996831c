import type { TaskStatus } from '../model/task.ts';

/** The time for a status that follows another one. Tasks are listed by it, so it never goes back, whatever clocks do. */
export function timeAfter({ timestamp: last = '' }: TaskStatus, now: number): string {
  const text = new Date(now).toISOString();
  return text < last ? last : text;
}
