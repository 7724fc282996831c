import type { TaskStatus } from '../model/task.ts';

let lastTime = Number.NaN;
let lastText = '';

/** A time as the protocol writes it. Much happens in one millisecond, and writing it takes half of a microsecond. */
export function timeText(time: number): string {
  if (time !== lastTime) {
    lastText = new Date(time).toISOString();
    lastTime = time;
  }
  return lastText;
}

/** The time for a status that follows another one. Tasks are listed by it, so it never goes back, whatever clocks do. */
export function timeAfter({ timestamp: last = '' }: TaskStatus, now: number): string {
  const text = timeText(now);
  return text < last ? last : text;
}
