import type { Spread } from './stats.ts';

/** A table for a terminal that is also Markdown. The first column is left-aligned, the others are right-aligned. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((name, column) => Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${widths.map((width, i) => (i === 0 ? (cells[i] ?? '').padEnd(width) : (cells[i] ?? '').padStart(width))).join(' | ')} |`;
  const rule = `|${widths.map((width, i) => '-'.repeat(width + (i === 0 ? 2 : 1)) + (i === 0 ? '' : ':')).join('|')}|`;
  return [line(head), rule, ...rows.map(line)].join('\n');
}

/** `7.42 (6.98–8.10)`: the median and the quartiles of the repeats. */
export function showSpread({ median, lowerQuartile, upperQuartile }: Spread): string {
  return `${show(median)} (${show(lowerQuartile)}–${show(upperQuartile)})`;
}

/** Formats a number with about three significant digits. */
export function show(value: number): string {
  if (!Number.isFinite(value)) return '–';
  if (value >= 100) return value.toFixed(0);
  if (value >= 10) return value.toFixed(1);
  return value >= 0.1 ? value.toFixed(2) : value.toPrecision(2);
}
