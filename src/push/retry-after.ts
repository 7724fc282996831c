const DAY_MS = 86_400_000;

/** The wait that `Retry-After` asks for, as seconds or as a date; never more than a day. */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  const wait = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(0, wait), DAY_MS);
}
