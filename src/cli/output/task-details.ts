import type { StateWord } from '../../client/state-word.ts';
import { textOfParts } from '../../model/part-text.ts';
import type { Part } from '../../model/part.ts';
import type { Task } from '../../model/task.ts';
import { fileNote, printed, stateStyle } from './part-output.ts';
import { oneLine, screen } from './screen.ts';

/** Prints a task as text: one line for each field, then blocks of longer text. */
export function giveTask({ id, contextId, status, artifacts = [], history = [] }: Task, state: StateWord): void {
  screen.giveLine(`Task: ${oneLine(id)}`);
  if (contextId !== undefined) screen.giveLine(`Context: ${oneLine(contextId)}`);
  screen.giveMarked(`State: ${screen.mark(state, stateStyle(status.state))}`);
  if (status.timestamp !== undefined) screen.giveLine(`Since: ${status.timestamp}`);
  const statusText = textOfParts(status.message?.parts ?? []);
  if (statusText !== '') giveBlock('Status', statusText);
  for (const { artifactId, name, parts } of artifacts) giveBlock(`Artifact ${name ?? artifactId}`, textOf(parts));
  for (const { role, parts } of history) giveBlock(role === 'ROLE_AGENT' ? 'Agent' : 'User', textOf(parts));
}

/** Returns the text of parts, with a note in place of each file. */
function textOf(parts: readonly Part[]): string {
  return parts.map((part) => fileNote(part) ?? printed(part)).join('');
}

function giveBlock(label: string, text: string): void {
  screen.giveMarked(`${screen.mark(oneLine(label), 'bold')}:`);
  screen.giveLine(text.replace(/\n$/, ''));
  screen.giveLine();
}
