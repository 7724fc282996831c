/** Whether what was signed at that time is neither too old nor too far ahead. All times are in milliseconds. */
export function isTimely(signedAt: number, now: number, toleranceMs: number): boolean {
  return Math.abs(now - signedAt) <= toleranceMs;
}
