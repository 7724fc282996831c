import { A2AError, markNested } from '../errors.ts';
import type { Message } from '../model/message.ts';
import { textOfParts } from '../model/part-text.ts';
import { isPaused, isTerminal } from '../model/state.ts';
import type { Part } from '../model/part.ts';
import type { Task } from '../model/task.ts';
import { dataOf, questionsOf, type TaskQuestion } from './task-question.ts';
import { textOfTask } from '../model/task-text.ts';
import { type StateWord, stateWord } from './state-word.ts';

/** The members that all replies have. */
interface ReplyFacts {
  /** The text of the reply: of the artifacts, the status or the message. Empty if there is none. */
  readonly text: string;
  /** The conversation. Pass it to `send()` to continue the conversation. */
  readonly contextId: string | undefined;
  /** The `traceparent` header of the last request of the call. */
  readonly traceparent: string;
  /** The last response or event, as the agent sent it. */
  readonly raw: unknown;
}

/** A reply with a task: it has ended, waits for an answer, or still runs if the call did not wait. */
export interface TaskReply extends ReplyFacts {
  /** Always `task`. */
  readonly kind: 'task';
  /** The task in the 1.0 format. */
  readonly task: Task;
  /** Always undefined: the reply is a task. */
  readonly message: undefined;
  /** The state of the task, such as `completed` or `input-required`. */
  readonly state: StateWord;
  /** The question that the task asks; undefined if it is not paused. Answer it with `client.task(reply.handle).answer()`. */
  readonly question: TaskQuestion | undefined;
  /**
   * All open questions of the task, the one above first. Agents made with this library list the others; answer one of them with
   * `client.task(reply.handle).answer(value, { question })`.
   */
  readonly questions: readonly TaskQuestion[];
  /** A string with which any process can reach the task again: `connect(handle)`. It contains no secrets. */
  readonly handle: string;
}

/** A reply of an agent that responded with a message and created no task. */
export interface MessageReply extends ReplyFacts {
  /** Always `message`. */
  readonly kind: 'message';
  /** The message in the 1.0 format. */
  readonly message: Message;
  /** Always undefined: the agent created no task. */
  readonly task: undefined;
  /** Always undefined, because there is no task. */
  readonly state: undefined;
  /** Always undefined, because there is no task. */
  readonly question: undefined;
  /** Always empty, because there is no task. */
  readonly questions: readonly [];
  /** Always undefined, because there is no task. */
  readonly handle: undefined;
}

/** The result of `send()`: a task or a message, distinguished by `kind`. */
export type Reply = TaskReply | MessageReply;

export function messageReply(message: Message, traceparent: string, raw: unknown): MessageReply {
  const { contextId } = message;
  const text = textOfParts(message.parts);
  return {
    kind: 'message',
    message,
    task: undefined,
    state: undefined,
    question: undefined,
    questions: [],
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
  const [text, questions] = [textOfTask(task), questionsOf(task)];
  const [question] = questions;
  return {
    kind: 'task',
    task,
    message: undefined,
    state,
    question,
    questions,
    handle,
    contextId,
    text,
    traceparent,
    raw,
  };
}

/**
 * The text of a reply that is not a question.
 *
 * @throws A2AError `INPUT_REQUIRED` or `AUTH_REQUIRED` with the question and the handle of the task.
 */
export function answerOf(reply: Reply): string {
  const { text } = reply;
  if (reply.kind === 'message' || !isPaused(reply.task.status.state)) return text;
  const { task, state, handle } = reply;
  const data = dataOf(task);
  const details = {
    taskId: task.id,
    state,
    handle,
    question: text,
    ...(data !== undefined && { questionData: JSON.stringify(data) }),
  };
  const asked = text === '' ? '' : `: ${text}`;
  if (task.status.state === 'TASK_STATE_AUTH_REQUIRED') {
    const next = 'complete it, then call client.task(error.details.handle).wait()';
    throw markNested(
      new A2AError('AUTH_REQUIRED', `The agent requires an authorization (${next})${asked}`, { details }),
    );
  }
  const next = 'answer it with client.task(error.details.handle).answer()';
  throw markNested(new A2AError('INPUT_REQUIRED', `The agent asked a question (${next})${asked}`, { details }));
}

/** @throws A2AError `TASK_FAILED` if the task failed, was rejected or was canceled. */
export function throwIfFailed(reply: Reply): void {
  if (reply.kind === 'message' || reply.state === 'completed' || !isTerminal(reply.task.status.state)) return;
  const { task, state, handle, text } = reply;
  const message = text === '' ? `The task was ${state}` : text;
  throw new A2AError('TASK_FAILED', message, { details: { taskId: task.id, state, handle } });
}

/** @throws A2AError `INVALID_AGENT_RESPONSE` if the agent has completed the task, or replied, without any content. */
export function throwIfEmpty(reply: Reply): void {
  if (reply.kind === 'message') {
    if (reply.message.parts.some(hasContent)) return;
    throw new A2AError('INVALID_AGENT_RESPONSE', 'The agent replied with a message without content');
  }
  const { task, state, handle, text } = reply;
  if (state !== 'completed' || text.trim() !== '') return;
  if (task.artifacts?.some(({ parts }) => parts.some(hasContent)) === true) return;
  throw new A2AError('INVALID_AGENT_RESPONSE', 'The agent completed the task without a text or an artifact', {
    details: { taskId: task.id, state, handle },
  });
}

/** Blank text is not content. A file is, even if it is empty. */
function hasContent(part: Part): boolean {
  return !('text' in part) || part.text.trim() !== '';
}
