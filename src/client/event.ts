import type { Artifact } from '../model/artifact.ts';
import type { StreamResponse } from '../model/event.ts';
import type { Message } from '../model/message.ts';
import { textOfParts } from '../model/part-text.ts';
import type { Task, TaskStatus } from '../model/task.ts';
import { textOfChunks, textOfStatus, textOfTask } from '../model/task-text.ts';
import { type StateWord, stateWord } from './state-word.ts';

/** The members that all events of a task have. */
interface EventFacts {
  /** The text of the event; empty if it has none. */
  readonly text: string;
  /** The number of the event in the log of the task. Undefined if the agent does not number its events. */
  readonly number: number | undefined;
  /** The whole event in the 1.0 format, whatever version the agent uses. */
  readonly response: StreamResponse;
  /** The event as the agent sent it. */
  readonly raw: unknown;
}

/** A snapshot of the whole task. Most streams start with it. */
export interface WholeTaskEvent extends EventFacts {
  /** Always `task`. */
  readonly type: 'task';
  /** The task in the 1.0 format. */
  readonly task: Task;
  /** The id of the task. */
  readonly taskId: string;
  /** The state of the task, such as `working`. */
  readonly state: StateWord;
}

/** A change of the task's state, or a progress message. */
export interface StatusEvent extends EventFacts {
  /** Always `status`. */
  readonly type: 'status';
  /** The id of the task. */
  readonly taskId: string;
  /** The state of the task, such as `working`. */
  readonly state: StateWord;
  /** The status with its message and timestamp. */
  readonly status: TaskStatus;
}

/** An artifact, or a chunk of one. */
export interface ArtifactEvent extends EventFacts {
  /** Always `artifact`. */
  readonly type: 'artifact';
  /** The id of the task. */
  readonly taskId: string;
  /** The artifact with only the new parts. */
  readonly artifact: Artifact;
  /** Whether the parts are appended to earlier parts of the artifact. If false, they replace them. */
  readonly append: boolean;
  /** Whether the agent marked this chunk as the last one of the artifact. */
  readonly lastChunk: boolean;
}

/** The reply of an agent that created no task. It is the only event of its stream. */
export interface MessageEvent extends EventFacts {
  /** Always `message`. */
  readonly type: 'message';
  /** The message in the 1.0 format. */
  readonly message: Message;
}

/** An event of a task, distinguished by `type`. */
export type AgentEvent = WholeTaskEvent | StatusEvent | ArtifactEvent | MessageEvent;

/** An event as it was received. */
export interface Received {
  readonly event: StreamResponse;
  readonly number: number | undefined;
  readonly raw: unknown;
}

/** Converts a received event. It lists the members one by one, because a spread took longer than parsing the event. */
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
