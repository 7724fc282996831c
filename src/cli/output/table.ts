import { shortened } from './progress-line.ts';
import { screen, type Style } from './screen.ts';

/** The width of a table where stdout is not a terminal. */
const DEFAULT_COLUMNS = 120;

const FEWEST_LAST_COLUMNS = 20;

/** The text of a cell, on one line and without control characters. */
export interface Cell {
  readonly text: string;
  readonly style?: Style;
}

/** Prints rows below their titles. Columns are as wide as their widest cell; the last one is cut to the width of the terminal. */
export function printTable(titles: readonly string[], rows: readonly (readonly Cell[])[]): void {
  const last = titles.length - 1;
  const widths = titles.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i]?.text.length ?? 0)));
  const left = widths.slice(0, last).reduce((sum, width) => sum + width + 2, 0);
  const room = Math.max(FEWEST_LAST_COLUMNS, (screen.columns ?? DEFAULT_COLUMNS) - left);
  const fitted = (text: string, i: number): string =>
    i === last ? shortened(text, room) : text.padEnd(widths[i] ?? 0);
  screen.writeLine(titles.map(fitted).join('  '), 'bold');
  for (const row of rows) {
    const cells = row.map(({ text, style }, i) =>
      style === undefined ? fitted(text, i) : screen.mark(fitted(text, i), style),
    );
    screen.writeMarked(cells.join('  ').trimEnd());
  }
}
