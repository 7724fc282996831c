/** Whether a process takes more and more memory, by samples of a long run. */

const MEBIBYTE = 2 ** 20;

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.trunc(values.length / 2)] ?? 0;
}

/** The medians of the thirds, in MiB, after a fifth in which all there is to warm up does. */
export function thirds(values: readonly number[]): readonly number[] {
  const warm = values.slice(Math.trunc(values.length / 5));
  const size = Math.ceil(warm.length / 3);
  return [0, 1, 2].map((i) => Math.round(median(warm.slice(i * size, (i + 1) * size)) / MEBIBYTE));
}

/** Grows from third to third, and by more than a fifth and what chance may do. */
export function grows([first = 0, second = 0, third = 0]: readonly number[], chance: number): boolean {
  return second > first && third > second && third > first * 1.2 + chance;
}
