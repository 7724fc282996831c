/** The median and the spread of repeated measurements. */
export interface Spread {
  readonly min: number;
  readonly lowerQuartile: number;
  readonly median: number;
  readonly upperQuartile: number;
  readonly max: number;
}

/** The quantile by linear interpolation between the two nearest values; `q` is from 0 to 1. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const place = (sorted.length - 1) * q;
  const [low, high] = [sorted[Math.floor(place)] ?? Number.NaN, sorted[Math.ceil(place)] ?? Number.NaN];
  return low + (high - low) * (place - Math.floor(place));
}

export function spread(values: readonly number[]): Spread {
  const [min, lowerQuartile, median, upperQuartile, max] = [0, 0.25, 0.5, 0.75, 1].map((q) => quantile(values, q));
  return { min, lowerQuartile, median, upperQuartile, max } as Spread;
}

/** Ratios of values measured in the same round, so that noise that affects a whole round cancels out. */
export function ratios(values: readonly number[], base: readonly number[]): Spread {
  return spread(values.map((value, round) => value / (base[round] ?? Number.NaN)));
}
