/** Milliseconds that only go forward. `performance` would have to be loaded first, and a command begins and ends soon. */
export function now(): number {
  return process.uptime() * 1000;
}
