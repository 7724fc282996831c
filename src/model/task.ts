import type { Artifact } from './artifact.ts';
import type { JsonObject } from './json.ts';
import type { Message } from './message.ts';
import type { TaskState } from './state.ts';

/** The status of a task (1.0 §4.1.2). */
export interface TaskStatus {
  /** State of the task. */
  readonly state: TaskState;
  /** Message of the agent about the state, for example its question. */
  readonly message?: Message;
  /** When the status was set, in UTC with milliseconds: `2026-03-12T10:00:00.000Z`. */
  readonly timestamp?: string;
}

/** A unit of work (1.0 §4.1.1). */
export interface Task {
  /** Id of the task, chosen by the server. */
  readonly id: string;
  /** Id of the context that groups related tasks. */
  readonly contextId?: string;
  /** Current status. */
  readonly status: TaskStatus;
  /** Results of the task. */
  readonly artifacts?: readonly Artifact[];
  /** The messages of the task, the oldest first. */
  readonly history?: readonly Message[];
  /** Custom data about the task. */
  readonly metadata?: JsonObject;
}
