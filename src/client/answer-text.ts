import type { Artifact } from '../model/artifact.ts';
import type { Part } from '../model/part.ts';
import { textOfParts } from '../model/part-text.ts';
import { isPaused, isTerminal } from '../model/state.ts';
import type { Task, TaskStatus } from '../model/task.ts';

/**
 * What a task says in words. A finished one: its artifacts, else the message of its status, else the last thing its agent
 * said. One that waits or did not succeed: the message of its status, for that is the question or the reason.
 */
export function textOfTask({ status, artifacts = [], history = [] }: Task): string {
  const said = textOfStatus(status);
  const isInterrupted = isPaused(status.state) || (isTerminal(status.state) && status.state !== 'TASK_STATE_COMPLETED');
  if (isInterrupted && said !== '') return said;
  const given = textOfArtifacts(artifacts);
  if (given !== '') return given;
  return said || textOfParts(history.findLast(({ role }) => role === 'ROLE_AGENT')?.parts ?? []);
}

/** What a status says to people. Data beside its text are for programs: what a question may be answered with. */
export function textOfStatus({ message }: TaskStatus): string {
  const parts = message?.parts ?? [];
  const texts = parts.filter((part) => 'text' in part);
  return textOfParts(texts.length === 0 ? parts : texts);
}

function textOfArtifacts(artifacts: readonly Artifact[]): string {
  return artifacts
    .map(({ parts }) => textOfChunks(parts))
    .filter((text) => text !== '')
    .join('\n');
}

/** Texts that follow each other are pieces of one text, as a stream has left them; data stand on lines of their own. */
export function textOfChunks(parts: readonly Part[]): string {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined && 'text' in only) return only.text;
  const lines: string[] = [];
  let isText = false;
  for (const part of parts) {
    if ('text' in part) lines.push((isText ? (lines.pop() ?? '') : '') + part.text);
    else if ('data' in part) lines.push(JSON.stringify(part.data));
    isText = 'text' in part;
  }
  return lines.join('\n');
}
