import { A2AError } from '../errors.ts';
import type { Message } from '../model/message.ts';
import { textOfParts } from '../model/part-text.ts';
import { isTerminal } from '../model/state.ts';
import type { Task } from '../model/task.ts';
import { textOfTask } from './answer-text.ts';
import { type StateWord, stateWord } from './state-word.ts';

interface ReplyFacts {
  /** What the agent says in words: from artifacts, status or message. */
  readonly text: string;
  /** The conversation, for the next message in it. */
  readonly contextId: string | undefined;
  /** The trace that the call was part of. */
  readonly traceparent: string;
  /** The last thing that was received, as it came. */
  readonly raw: unknown;
}

/** The agent works, or worked, on it: a task. */
export interface TaskReply extends ReplyFacts {
  readonly kind: 'task';
  readonly task: Task;
  readonly message: undefined;
  readonly state: StateWord;
  /** A text to keep: with it, `connect()` finds back to the task, from anywhere. It holds no secret. */
  readonly handle: string;
}

/** The agent answered at once, without a task. */
export interface MessageReply extends ReplyFacts {
  readonly kind: 'message';
  readonly message: Message;
  readonly task: undefined;
  readonly state: undefined;
  readonly handle: undefined;
}

export type Reply = TaskReply | MessageReply;

export function messageReply(message: Message, traceparent: string, raw: unknown): MessageReply {
  const { contextId } = message;
  const text = textOfParts(message.parts);
  return {
    kind: 'message',
    message,
    task: undefined,
    state: undefined,
    handle: undefined,
    contextId,
    text,
    traceparent,
    raw,
  };
}

export function taskReply(task: Task, handle: string, traceparent: string, raw: unknown): TaskReply {
  const { contextId, status } = task;
  const state = stateWord(status.state);
  return { kind: 'task', task, message: undefined, state, handle, contextId, text: textOfTask(task), traceparent, raw };
}

/** @throws A2AError `TASK_FAILED` if the task ended, but not well. */
export function throwIfFailed(reply: Reply): void {
  if (reply.kind === 'message' || reply.state === 'completed' || !isTerminal(reply.task.status.state)) return;
  const { task, state, handle, text } = reply;
  const message = text === '' ? `The task was ${state}` : text;
  throw new A2AError('TASK_FAILED', message, { details: { taskId: task.id, state, handle } });
}
