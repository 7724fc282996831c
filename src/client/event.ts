import type { Artifact } from '../model/artifact.ts';
import type { StreamResponse } from '../model/event.ts';
import type { Message } from '../model/message.ts';
import { textOfParts } from '../model/part-text.ts';
import type { Task, TaskStatus } from '../model/task.ts';
import { textOfChunks, textOfStatus, textOfTask } from './answer-text.ts';
import { type StateWord, stateWord } from './state-word.ts';

interface EventFacts {
  /** What it says in words; empty if nothing. */
  readonly text: string;
  /** Its number in the task's log, where the agent numbers its events. */
  readonly number: number | undefined;
  /** The whole of it in the words of A2A 1.0, whatever version it came in. */
  readonly response: StreamResponse;
  /** As it came. */
  readonly raw: unknown;
}

/** The task as a whole: how a stream begins. */
export interface WholeTaskEvent extends EventFacts {
  readonly type: 'task';
  readonly task: Task;
  readonly taskId: string;
  readonly state: StateWord;
}

/** The task is in another state, or says how it goes. */
export interface StatusEvent extends EventFacts {
  readonly type: 'status';
  readonly taskId: string;
  readonly state: StateWord;
  readonly status: TaskStatus;
}

/** An artifact, or a piece of one. */
export interface ArtifactEvent extends EventFacts {
  readonly type: 'artifact';
  readonly taskId: string;
  /** With only the parts that are new. */
  readonly artifact: Artifact;
  /** The parts belong behind those that came before; otherwise they are in their place. */
  readonly append: boolean;
  readonly lastChunk: boolean;
}

/** The answer of an agent that made no task of it. */
export interface MessageEvent extends EventFacts {
  readonly type: 'message';
  readonly message: Message;
}

/** What an agent tells while it works. */
export type AgentEvent = WholeTaskEvent | StatusEvent | ArtifactEvent | MessageEvent;

/** An event as it was received. */
export interface Received {
  readonly event: StreamResponse;
  readonly number: number | undefined;
  readonly raw: unknown;
}

/** Members one by one: to put some of them in by a spread took longer than parsing the event. */
export function toAgentEvent({ event, number, raw }: Received): AgentEvent {
  const response = event;
  if ('task' in event) {
    const { task } = event;
    const text = textOfTask(task);
    return { type: 'task', task, taskId: task.id, state: stateWord(task.status.state), text, number, response, raw };
  }
  if ('message' in event) {
    const { message } = event;
    return { type: 'message', message, text: textOfParts(message.parts), number, response, raw };
  }
  if ('statusUpdate' in event) {
    const { taskId, status } = event.statusUpdate;
    const text = textOfStatus(status);
    return { type: 'status', taskId, state: stateWord(status.state), status, text, number, response, raw };
  }
  const { taskId, artifact, append = false, lastChunk = false } = event.artifactUpdate;
  const text = textOfChunks(artifact.parts);
  return { type: 'artifact', taskId, artifact, append, lastChunk, text, number, response, raw };
}
