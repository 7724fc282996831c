/** Returns a monotonic time in milliseconds. Loading `performance` would take longer, and most commands are short. */
export function now(): number {
  return process.uptime() * 1000;
}
