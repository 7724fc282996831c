import { stateWord } from '../../client/state-word.ts';
import type { InspectedTask } from '../../engine/tasks/inspect.ts';
import { stateStyle } from '../output/part-output.ts';
import { oneLine, screen } from '../output/screen.ts';
import { printTable } from '../output/table.ts';
import { relativeTime } from './relative-time.ts';

/** Prints tasks of several callers as a table. */
export function printInspectedTable(tasks: readonly InspectedTask[], nowMs: number): void {
  const rows = tasks.map((task) => {
    const { id, agent, owner, status } = task.record;
    const cells = [id, agent, owner, stateWord(status.state), relativeTime(status.timestamp, nowMs), codeWord(task)];
    return cells.map((text) => ({ text: oneLine(text) }));
  });
  printTable(['ID', 'AGENT', 'OWNER', 'STATE', 'CHANGED', 'CODE'], rows);
}

/** The treatment of a task by changed code: `held`, `was held`, `continued`, or `-` if its code matches. */
function codeWord({ isHeld, codeMarks }: InspectedTask): string {
  if (isHeld) return 'held';
  const last = codeMarks.at(-1);
  if (last === undefined) return '-';
  return last.treatment === 'held' ? 'was held' : 'continued';
}

/** Prints a task with its marks and the outline of its journal. */
export function printInspectedTask(task: InspectedTask): void {
  const { record, codeMarks, journal } = task;
  const { id, contextId, agent, tenant, owner, status } = record;
  screen.writeLine(`Task: ${oneLine(id)}`);
  screen.writeLine(`Context: ${oneLine(contextId)}`);
  screen.writeLine(`Agent: ${oneLine(agent)}`);
  screen.writeLine(`Owner: ${oneLine(owner)}`);
  if (tenant !== '') screen.writeLine(`Tenant: ${oneLine(tenant)}`);
  screen.writeMarked(`State: ${screen.mark(stateWord(status.state), stateStyle(status.state))}`);
  if (status.timestamp !== undefined) screen.writeLine(`Since: ${status.timestamp}`);
  if (codeMarks.length > 0) screen.writeLine(`Changed code: ${codeWord(task)}`);
  for (const { at, treatment, recorded, asked } of codeMarks) {
    const sides = [`never asked for: ${recorded.join(', ') || 'nothing'}`, ...asked.map((entry) => `new: ${entry}`)];
    screen.writeLine(`  ${timeOf(at)}  ${treatment}  ${oneLine(sides.join('; '))}`);
  }
  if (journal.length > 0) screen.writeLine('Journal:');
  for (const { number, name, at, outcome = '' } of journal)
    screen.writeLine(
      `${String(number).padStart(5)}  ${timeOf(at)}  ${oneLine(name).padEnd(NAME_COLUMNS)}  ${outcome}`.trimEnd(),
    );
}

/** Enough for most names, so that outcomes are in one column. */
const NAME_COLUMNS = 24;
const NO_TIME = '-'.padEnd(new Date(0).toISOString().length);

function timeOf(at: number | undefined): string {
  return at === undefined ? NO_TIME : new Date(at).toISOString();
}

/** A task as JSON for scripts. */
export function inspectedJson({ record, codeMarks, isHeld }: InspectedTask): object {
  const { id, contextId, agent, tenant, owner, status, createdAt, endedAt } = record;
  return {
    id,
    contextId,
    agent,
    ...(tenant !== '' && { tenant }),
    owner,
    state: status.state,
    ...(status.timestamp !== undefined && { since: status.timestamp }),
    createdAt: new Date(createdAt).toISOString(),
    ...(endedAt !== undefined && { endedAt: new Date(endedAt).toISOString() }),
    isHeld,
    changedCode: codeMarks.map(({ at, ...mark }) => ({ ...(at !== undefined && { at: timeOf(at) }), ...mark })),
  };
}
