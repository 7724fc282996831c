const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Returns how long ago a time was, in its largest unit: `3m ago`. Times in the future, from a clock ahead of ours, are `now`. */
export function relativeTime(timestamp: string | undefined, nowMs: number): string {
  const ms = nowMs - Date.parse(timestamp ?? '');
  if (Number.isNaN(ms)) return '-';
  if (ms < SECOND) return 'now';
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)}s ago`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)}m ago`;
  return ms < DAY ? `${Math.floor(ms / HOUR)}h ago` : `${Math.floor(ms / DAY)}d ago`;
}
