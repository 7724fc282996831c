import type { Artifact } from './artifact.ts';
import type { JsonObject } from './json.ts';
import type { Message } from './message.ts';
import type { Task, TaskStatus } from './task.ts';

export interface TaskStatusUpdateEvent {
  readonly taskId: string;
  readonly contextId: string;
  readonly status: TaskStatus;
  readonly metadata?: JsonObject;
}

/**
 * A piece of an artifact. Without `append` it creates or replaces the artifact of that id, with it the parts are added
 * to those already there; `lastChunk` says that no more follows.
 */
export interface TaskArtifactUpdateEvent {
  readonly taskId: string;
  readonly contextId: string;
  readonly artifact: Artifact;
  readonly append?: boolean;
  readonly lastChunk?: boolean;
  readonly metadata?: JsonObject;
}

/** One item of a stream, and the body of a webhook (1.0 §3.2.3, §4.3.3). Exactly one member is present. */
export type StreamResponse =
  | { readonly task: Task }
  | { readonly message: Message }
  | { readonly statusUpdate: TaskStatusUpdateEvent }
  | { readonly artifactUpdate: TaskArtifactUpdateEvent };
