import type { TaskStatus } from '../../model/task.ts';

let lastTime = Number.NaN;
let lastText = '';

/**
 * Formats a time for the wire. Caches the last result, because formatting takes half a microsecond and much happens within
 * one millisecond.
 */
export function timeText(time: number): string {
  if (time !== lastTime) {
    lastText = new Date(time).toISOString();
    lastTime = time;
  }
  return lastText;
}

/**
 * The timestamp of a status that follows another one. It never goes back, whatever the clock does, because tasks are listed
 * by it.
 */
export function timeAfter({ timestamp: last = '' }: TaskStatus, now: number): string {
  const text = timeText(now);
  return text < last ? last : text;
}
