import type { Artifact } from './artifact.ts';
import type { JsonObject } from './json.ts';
import type { Message } from './message.ts';
import type { Task, TaskStatus } from './task.ts';

/** A change of the status of a task. */
export interface TaskStatusUpdateEvent {
  /** Id of the task. */
  readonly taskId: string;
  /** Id of the context that the task belongs to. */
  readonly contextId: string;
  /** New status of the task. */
  readonly status: TaskStatus;
  /** Custom data about the event. */
  readonly metadata?: JsonObject;
}

/** A chunk of an artifact. */
export interface TaskArtifactUpdateEvent {
  /** Id of the task. */
  readonly taskId: string;
  /** Id of the context that the task belongs to. */
  readonly contextId: string;
  /** The artifact, or the chunk of it that this event adds. */
  readonly artifact: Artifact;
  /** Whether to append the parts to the artifact with the same id. Default: false, which replaces it. */
  readonly append?: boolean;
  /** Whether this is the last chunk of the artifact. Default: false. */
  readonly lastChunk?: boolean;
  /** Custom data about the event. */
  readonly metadata?: JsonObject;
}

/** One item of a stream, and the body of a webhook (1.0 §3.2.3, §4.3.3). Exactly one member is present. */
export type StreamResponse =
  | {
      /** The whole task. */
      readonly task: Task;
    }
  | {
      /** A message that ends the interaction without a task. */
      readonly message: Message;
    }
  | {
      /** A change of the status. */
      readonly statusUpdate: TaskStatusUpdateEvent;
    }
  | {
      /** A new artifact, or a chunk of one. */
      readonly artifactUpdate: TaskArtifactUpdateEvent;
    };
