import { stateWord } from '../../client/state-word.ts';
import { textOfParts } from '../../model/part-text.ts';
import type { Task } from '../../model/task.ts';
import { stateStyle } from '../output/part-output.ts';
import { relativeTime } from './relative-time.ts';
import { oneLine } from '../output/screen.ts';
import { printTable } from '../output/table.ts';

/** How many messages of each task to request for the table. The request is the first message, and most tasks have fewer. */
export const REQUEST_HISTORY = 20;

/** Prints tasks as a table: id, state, time of the last change, and the start of the request. */
export function printTaskTable(tasks: readonly Task[], nowMs: number): void {
  printTable(
    ['ID', 'STATE', 'CHANGED', 'REQUEST'],
    tasks.map((task) => [
      { text: oneLine(task.id) },
      { text: stateWord(task.status.state), style: stateStyle(task.status.state) },
      { text: relativeTime(task.status.timestamp, nowMs) },
      { text: requestOf(task) },
    ]),
  );
}

function requestOf({ history = [] }: Task): string {
  const request = history.find(({ role }) => role === 'ROLE_USER');
  return request === undefined ? '' : oneLine(textOfParts(request.parts));
}
