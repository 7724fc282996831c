/** Decides from the samples of a long run whether the memory of a process grows. */

const MEBIBYTE = 2 ** 20;

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.trunc(values.length / 2)] ?? 0;
}

/** The medians of the thirds, in MiB. The first fifth is warm-up and does not count. */
export function thirds(values: readonly number[]): readonly number[] {
  const warm = values.slice(Math.trunc(values.length / 5));
  const size = Math.ceil(warm.length / 3);
  return [0, 1, 2].map((i) => Math.round(median(warm.slice(i * size, (i + 1) * size)) / MEBIBYTE));
}

/** Whether memory grows from third to third, and in total by more than a fifth plus `noise` MiB. */
export function grows([first = 0, second = 0, third = 0]: readonly number[], noise: number): boolean {
  return second > first && third > second && third > first * 1.2 + noise;
}
