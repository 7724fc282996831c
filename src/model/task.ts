import type { Artifact } from './artifact.ts';
import type { JsonObject } from './json.ts';
import type { Message } from './message.ts';
import type { TaskState } from './state.ts';

/** Where a task stands (1.0 §4.1.2). */
export interface TaskStatus {
  readonly state: TaskState;
  readonly message?: Message;
  /** UTC with milliseconds: `2026-03-12T10:00:00.000Z`. */
  readonly timestamp?: string;
}

/** A unit of work (1.0 §4.1.1). Optional in the protocol definition, `contextId` is always set by us. */
export interface Task {
  readonly id: string;
  readonly contextId?: string;
  readonly status: TaskStatus;
  readonly artifacts?: readonly Artifact[];
  /** Oldest first. */
  readonly history?: readonly Message[];
  readonly metadata?: JsonObject;
}
