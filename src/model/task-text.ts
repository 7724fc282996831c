import type { Artifact } from './artifact.ts';
import type { Part } from './part.ts';
import { describesQuestion, textOfParts } from './part-text.ts';
import { isPaused, isTerminal } from './state.ts';
import type { Task, TaskStatus } from './task.ts';

/**
 * Returns the text of a task. For a completed task: its artifacts, else its status message, else the last message of the agent. For
 * a paused or unsuccessful task: its status message, because that is the question or the reason.
 */
export function textOfTask({ status, artifacts = [], history = [] }: Task): string {
  const statusText = textOfStatus(status);
  const isInterrupted = isPaused(status.state) || (isTerminal(status.state) && status.state !== 'TASK_STATE_COMPLETED');
  if (isInterrupted && statusText !== '') return statusText;
  const artifactText = textOfArtifacts(artifacts);
  if (artifactText !== '') return artifactText;
  if (statusText !== '') return statusText;
  const last = history.findLast(({ role }) => role === 'ROLE_AGENT')?.parts ?? [];
  return textOfParts(last.filter((part) => !describesQuestion(part)));
}

/** Returns the text of a status. Data parts next to text are for programs, such as the schema of a question. */
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

/** Joins the text of parts. Consecutive texts are chunks of one text, as a stream leaves them; data gets a line of its own. */
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
