/** A time in milliseconds, or with a unit: `500`, `'30s'`, `'5m'`, `'1h'`, `'7d'`. */
export type Duration = number | `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`;

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** @throws RangeError if the text is not a duration, or the number is negative. */
export function toMs(duration: Duration): number {
  const [, digits = '', unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(String(duration)) ?? [];
  const ms = typeof duration === 'number' ? duration : Number(digits) * (UNIT_MS[unit] ?? Number.NaN);
  if (digits === '' && typeof duration === 'string') throw invalid(duration);
  if (!(ms >= 0)) throw invalid(duration);
  return ms;
}

function invalid(duration: unknown): RangeError {
  return new RangeError(`Expected milliseconds or a duration such as '1h', got ${JSON.stringify(duration)}`);
}
