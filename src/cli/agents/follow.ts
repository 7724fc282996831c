import type { AgentClient } from '../../client/client.ts';
import type { AgentEvent } from '../../client/event.ts';
import type { TaskStream } from '../../client/task-stream.ts';
import { A2AError } from '../../errors.ts';
import type { Message } from '../../model/message.ts';
import { isPaused, isTerminal } from '../../model/state.ts';
import type { Task } from '../../model/task.ts';
import { exitCodeOf, onStopSignal } from '../interrupt.ts';
import { oneLine, screen } from '../output/screen.ts';
import { noteAnswerCommand, noteTask, TaskView } from '../output/task-view.ts';

/** The output format of a task. */
export interface Showing {
  readonly isJson: boolean;
  /** Prints one line of JSON for each event. */
  readonly isStream: boolean;
  /** The arguments that name the agent in another command. */
  readonly agent: readonly string[];
}

/** The result of a turn. */
export interface Turn {
  readonly task: Task | undefined;
  readonly message: Message | undefined;
}

/** Prints the events of a stream until the task ends or asks a question. The caller of this function handles Ctrl-C. */
export async function follow(stream: TaskStream, { isJson, isStream }: Showing): Promise<Turn> {
  const view = new TaskView();
  let message: Message | undefined;
  for await (const event of stream) {
    if (event.type === 'message') ({ message } = event);
    if (!isJson) view.event(event);
    else if (isStream) screen.writeJsonLine(event.response);
    if (isQuestion(event)) break;
  }
  screen.hideProgress();
  screen.endLine();
  return { task: stream.task, message };
}

function isQuestion(event: AgentEvent): boolean {
  if (event.type === 'status') return isPaused(event.status.state);
  return event.type === 'task' && isPaused(event.task.status.state);
}

/** Prints the result of a turn: the JSON document, or the ids that the next command needs. */
export function conclude({ task, message }: Turn, { isJson, isStream, agent }: Showing): void {
  if (task === undefined && message === undefined) return;
  if (isJson && !isStream) screen.writeJson(task === undefined ? { message } : { task });
  if (isJson || task === undefined) return;
  noteTask(task);
  if (isPaused(task.status.state)) noteAnswerCommand(agent, task);
}

/** Makes Ctrl-C cancel the task of the stream; a second Ctrl-C exits and the task keeps running. Returns a function that undoes this. */
export function cancelOnInterrupt(agent: AgentClient, stream: TaskStream): () => void {
  const end = new AbortController();
  const stopListening = onStopSignal(['SIGINT'], () => {
    process.exitCode = exitCodeOf('SIGINT');
    void cancel(agent, stream, end.signal);
  });
  return () => {
    stopListening();
    end.abort();
  };
}

/** How long to wait for the end of a task after the agent accepted its cancellation. */
const END_AFTER_CANCEL_MS = 10_000;

/** Cancels the task of a stream, which then ends. The signal aborts if the stream ends first. */
export async function cancel(agent: AgentClient, stream: TaskStream, signal: AbortSignal): Promise<void> {
  const id = stream.task?.id;
  if (id === undefined) {
    screen.notice('Stopped before the agent responded. It may have started the task.', 'yellow');
    await stream.return();
    return;
  }
  screen.notice('Canceling the task. Press Ctrl-C again to exit at once.', 'yellow');
  screen.showProgress('Canceling');
  try {
    const { status } = await agent.cancel(id, { signal });
    if (!isTerminal(status.state)) setTimeout(() => void stream.return(), END_AFTER_CANCEL_MS).unref();
  } catch (error) {
    if (signal.aborted) return;
    if (!A2AError.is(error)) throw error;
    screen.notice(`The agent did not cancel the task: ${oneLine(error.message)}`, 'yellow');
    if (error.code !== 'TASK_NOT_CANCELABLE') await stream.return();
  }
}
