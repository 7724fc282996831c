import type { AgentClient } from '../client/client.ts';
import type { AgentEvent } from '../client/event.ts';
import type { TaskStream } from '../client/task-stream.ts';
import { A2AError } from '../errors.ts';
import type { Message } from '../model/message.ts';
import { isPaused, isTerminal } from '../model/state.ts';
import type { Task } from '../model/task.ts';
import { exitCodeOf, onStopSignal } from './interrupt.ts';
import { giveJson, giveJsonLine } from './json-output.ts';
import { oneLine, screen } from './screen.ts';
import { tellAnswer, tellTask, TaskView } from './task-view.ts';

/** How a task is shown. */
export interface Showing {
  readonly isJson: boolean;
  /** One line of JSON for each event. */
  readonly isStream: boolean;
  /** The words that name the agent in another command. */
  readonly agent: readonly string[];
}

/** How a conversation stands after a turn. */
export interface Turn {
  readonly task: Task | undefined;
  readonly message: Message | undefined;
}

/** Shows what happens until it is the user's turn again. Ctrl-C is for whoever calls this. */
export async function follow(stream: TaskStream, { isJson, isStream }: Showing): Promise<Turn> {
  const view = new TaskView();
  let message: Message | undefined;
  for await (const event of stream) {
    if (event.type === 'message') ({ message } = event);
    if (!isJson) view.event(event);
    else if (isStream) giveJsonLine(event.response);
    if (isQuestion(event)) break;
  }
  screen.rest();
  screen.endLine();
  return { task: stream.task, message };
}

function isQuestion(event: AgentEvent): boolean {
  if (event.type === 'status') return isPaused(event.status.state);
  return event.type === 'task' && isPaused(event.task.status.state);
}

/** The end of a call: the document, or what a person needs for the next command. */
export function conclude({ task, message }: Turn, { isJson, isStream, agent }: Showing): void {
  if (task === undefined && message === undefined) return;
  if (isJson && !isStream) giveJson(task === undefined ? { message } : { task });
  if (isJson || task === undefined) return;
  tellTask(task);
  if (isPaused(task.status.state)) tellAnswer(agent, task);
}

/** Until the returned function is called, Ctrl-C cancels the task of the stream; another one leaves it alone and quits. */
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

/** How long the end of a task is waited for that the agent has agreed to cancel. */
const END_AFTER_CANCEL_MS = 10_000;

/** Cancels the task of a stream, which then ends. The signal tells that the stream has ended by itself. */
export async function cancel(agent: AgentClient, stream: TaskStream, signal: AbortSignal): Promise<void> {
  const id = stream.task?.id;
  if (id === undefined) {
    screen.tell('Stopped. The agent has not answered yet; it may have begun all the same.', 'yellow');
    await stream.return();
    return;
  }
  screen.tell('Canceling the task. Ctrl-C again quits.', 'yellow');
  screen.work('Canceling');
  try {
    const { status } = await agent.cancel(id, { signal });
    if (!isTerminal(status.state)) setTimeout(() => void stream.return(), END_AFTER_CANCEL_MS).unref();
  } catch (error) {
    if (signal.aborted) return;
    if (!A2AError.is(error)) throw error;
    screen.tell(`It cannot be canceled: ${oneLine(error.message)}`, 'yellow');
    if (error.code !== 'TASK_NOT_CANCELABLE') await stream.return();
  }
}
