import { stateWord } from '../../client/state-word.ts';
import { textOfParts } from '../../model/part-text.ts';
import type { Part } from '../../model/part.ts';
import type { Task } from '../../model/task.ts';
import { fileNote, printed, stateStyle } from './part-output.ts';
import { oneLine, screen } from './screen.ts';

/** Prints a task as text: one line for each field, then blocks of longer text. */
export function printTask({ id, contextId, status, artifacts = [], history = [] }: Task): void {
  screen.writeLine(`Task: ${oneLine(id)}`);
  if (contextId !== undefined) screen.writeLine(`Context: ${oneLine(contextId)}`);
  screen.writeMarked(`State: ${screen.mark(stateWord(status.state), stateStyle(status.state))}`);
  if (status.timestamp !== undefined) screen.writeLine(`Since: ${status.timestamp}`);
  const statusText = textOfParts(status.message?.parts ?? []);
  if (statusText !== '') printBlock('Status', statusText);
  for (const { artifactId, name, parts } of artifacts) printBlock(`Artifact ${name ?? artifactId}`, textOf(parts));
  for (const { role, parts } of history) printBlock(role === 'ROLE_AGENT' ? 'Agent' : 'User', textOf(parts));
}

/** Returns the text of parts, with a note in place of each file. */
function textOf(parts: readonly Part[]): string {
  return parts.map((part) => fileNote(part) ?? printed(part)).join('');
}

function printBlock(label: string, text: string): void {
  screen.writeMarked(`${screen.mark(oneLine(label), 'bold')}:`);
  screen.writeLine(text.replace(/\n$/, ''));
  screen.writeLine();
}
