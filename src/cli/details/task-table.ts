import { stateWord } from '../../client/state-word.ts';
import { textOfParts } from '../../model/part-text.ts';
import type { Task } from '../../model/task.ts';
import { stateStyle } from '../output/part-output.ts';
import { shortened } from '../output/progress-line.ts';
import { relativeTime } from './relative-time.ts';
import { oneLine, screen } from '../output/screen.ts';

/** How many messages of each task to request for the table. The request is the first message, and most tasks have fewer. */
export const REQUEST_HISTORY = 20;

/** The width of the table where stdout is not a terminal. */
const DEFAULT_COLUMNS = 120;

const FEWEST_REQUEST_COLUMNS = 20;

/** Prints tasks as a table: id, state, time of the last change, and the start of the request. */
export function printTaskTable(tasks: readonly Task[], nowMs: number): void {
  const rows = tasks.map((task) => ({
    id: oneLine(task.id),
    state: stateWord(task.status.state),
    style: stateStyle(task.status.state),
    changed: relativeTime(task.status.timestamp, nowMs),
    request: requestOf(task),
  }));
  const id = widthOf(
    'ID',
    rows.map((row) => row.id),
  );
  const state = widthOf(
    'STATE',
    rows.map((row) => row.state),
  );
  const changed = widthOf(
    'CHANGED',
    rows.map((row) => row.changed),
  );
  const left = (screen.columns ?? DEFAULT_COLUMNS) - id - state - changed - 6;
  const columns = Math.max(FEWEST_REQUEST_COLUMNS, left);
  const header = `${'ID'.padEnd(id)}  ${'STATE'.padEnd(state)}  ${'CHANGED'.padEnd(changed)}  REQUEST`;
  screen.writeLine(header, 'bold');
  for (const row of rows) {
    const coloured = screen.mark(row.state.padEnd(state), row.style);
    const line = `${row.id.padEnd(id)}  ${coloured}  ${row.changed.padEnd(changed)}  ${shortened(row.request, columns)}`;
    screen.writeMarked(line.trimEnd());
  }
}

function requestOf({ history = [] }: Task): string {
  const request = history.find(({ role }) => role === 'ROLE_USER');
  return request === undefined ? '' : oneLine(textOfParts(request.parts));
}

function widthOf(title: string, cells: readonly string[]): number {
  return Math.max(title.length, ...cells.map((cell) => cell.length));
}
