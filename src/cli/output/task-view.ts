import type { AgentEvent, ArtifactEvent } from '../../client/event.ts';
import { questionsOf, type TaskQuestion } from '../../client/task-question.ts';
import { stateWord } from '../../client/state-word.ts';
import type { Artifact } from '../../model/artifact.ts';
import type { Part } from '../../model/part.ts';
import { textOfParts } from '../../model/part-text.ts';
import { isPaused, isTerminal } from '../../model/state.ts';
import type { Task, TaskStatus } from '../../model/task.ts';
import { questionLine } from '../agents/ask-question.ts';
import { invocation, shellWord } from '../invocation.ts';
import { fileNote, printed } from './part-output.ts';
import { oneLine, screen } from './screen.ts';

/**
 * Prints the events of a task as they arrive: its output on stdout, its progress on stderr. If a whole task arrives, prints
 * only the new output.
 */
export class TaskView {
  readonly #seen = new Map<string, string>();
  readonly #filesNoted = new Set<string>();
  #artifact: string | undefined;
  #status = '';
  #hasOutput = false;

  event(event: AgentEvent): void {
    if (event.type === 'message') this.#give('', event.message.parts);
    else if (event.type === 'task') this.task(event.task);
    else if (event.type === 'status') this.status(event.status);
    else this.#update(event);
  }

  task(task: Task): void {
    for (const artifact of task.artifacts ?? []) this.#catchUp(artifact);
    this.status(task.status);
  }

  status({ state, message }: TaskStatus): void {
    const parts = message?.parts ?? [];
    const key = JSON.stringify([state, parts]);
    if (key === this.#status) return;
    this.#status = key;
    const text = textOfParts(parts.filter((part) => 'text' in part));
    if (isPaused(state)) {
      screen.endLine();
      screen.writeLine(text === '' ? `The agent waits for you: ${stateWord(state)}` : text);
    } else if (state === 'TASK_STATE_COMPLETED') {
      // Some agents send no artifact and put their output here.
      if (!this.#hasOutput) this.#give('', parts);
    } else if (isTerminal(state)) {
      const end = state === 'TASK_STATE_FAILED' ? 'failed' : `was ${stateWord(state)}`;
      screen.notice(`The task ${end}${text === '' ? '.' : `: ${text}`}`, 'red');
    } else {
      if (text !== '') screen.notice(text, 'dim');
      screen.showProgress(stateWord(state));
    }
  }

  #update({ artifact, append }: ArtifactEvent): void {
    const { artifactId } = artifact;
    if (append) {
      this.#give(artifactId, artifact.parts);
      this.#seen.set(artifactId, (this.#seen.get(artifactId) ?? '') + artifact.parts.map(printed).join(''));
    } else {
      this.#catchUp(artifact);
    }
  }

  #catchUp({ artifactId, parts }: Artifact): void {
    const seen = this.#seen.get(artifactId) ?? '';
    const whole = parts.map(printed).join('');
    if (whole.startsWith(seen) && seen !== '') this.#give(artifactId, [{ text: whole.slice(seen.length) }]);
    else {
      if (seen !== '') this.#artifact = undefined;
      this.#give(artifactId, parts);
    }
    this.#seen.set(artifactId, whole);
  }

  /** Chunks of one artifact are printed as one text. */
  #give(artifactId: string, parts: readonly Part[]): void {
    if (artifactId !== this.#artifact) screen.endLine();
    this.#artifact = artifactId;
    for (const part of parts) {
      const note = fileNote(part);
      if (note !== undefined && !this.#filesNoted.has(artifactId + note)) {
        this.#filesNoted.add(artifactId + note);
        screen.notice(note, 'dim');
      }
      screen.write(printed(part));
      this.#hasOutput = true;
    }
  }
}

/** Prints the ids and the state of a task for the next command, one on each line. */
export function noteTask({ id, contextId, status }: Task): void {
  screen.hideProgress();
  screen.endLine();
  screen.notice(`Task: ${oneLine(id)}`, 'dim');
  if (contextId !== undefined) screen.notice(`Context: ${oneLine(contextId)}`, 'dim');
  screen.notice(`State: ${stateWord(status.state)}`, 'dim');
}

/** Prints the command that answers the question of a task, or one for each of several questions. */
export function noteAnswerCommand(agent: readonly string[], task: Task): void {
  const words = agent.map((word) => `${shellWord(word)} `).join('');
  const command = (answer: string): string => `${invocation()} send ${words}${answer} --task-id ${shellWord(task.id)}`;
  const questions = questionsOf(task);
  const [first, ...others] = questions;
  if (first === undefined || others.length === 0) {
    screen.notice('To answer:', 'dim');
    screen.notice(command(exampleOf(first)));
    return;
  }
  for (const question of questions) {
    screen.notice(`To answer "${questionLine(question)}":`, 'dim');
    screen.notice(`${command(exampleOf(question))} --question ${shellWord(question.id ?? '')}`);
  }
}

function exampleOf(question: TaskQuestion | undefined): string {
  return question?.kind === 'confirm' ? 'yes' : `'your answer'`;
}
