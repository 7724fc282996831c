import type { Artifact } from '../model/artifact.ts';
import type { TaskArtifactUpdateEvent } from '../model/event.ts';
import type { JsonObject } from '../model/json.ts';
import type { Message } from '../model/message.ts';
import type { Task, TaskStatus } from '../model/task.ts';
import type { NewEvent, TaskRecord } from '../store/store.ts';
import { ArtifactFold } from '../model/artifact-fold.ts';
import type { StoredTask, TaskEvent } from '../store/store.ts';

/** The two ids that every event of a task carries. */
export type TaskIds = Pick<TaskRecord, 'id' | 'contextId'>;

/** Event 1: the task as it was made. */
export function createdEvent(record: Omit<NewTaskView, 'history'>, message: Message): NewEvent {
  return { kind: 'task', body: JSON.stringify({ task: taskView({ ...record, history: [message] }) }) };
}

export function statusEvent({ id, contextId }: TaskIds, status: TaskStatus, metadata?: JsonObject): NewEvent {
  const statusUpdate = { taskId: id, contextId, status, ...(metadata !== undefined && { metadata }) };
  return { kind: 'status', body: JSON.stringify({ statusUpdate }) };
}

export function artifactEvent(update: TaskArtifactUpdateEvent): NewEvent {
  return { kind: 'artifact', body: JSON.stringify({ artifactUpdate: update }) };
}

/** What an artifact event says. Only for events of that kind. */
export function artifactUpdateOf({ body }: Pick<TaskEvent, 'body'>): TaskArtifactUpdateEvent {
  return (JSON.parse(body) as { artifactUpdate: TaskArtifactUpdateEvent }).artifactUpdate;
}

interface NewTaskView extends TaskIds {
  readonly status: TaskStatus;
  readonly metadata?: JsonObject;
  readonly history: readonly Message[];
}

function taskView(
  { id, contextId, status, metadata, history }: NewTaskView,
  artifacts: readonly Artifact[] = [],
): Task {
  return {
    id,
    contextId,
    status,
    ...(artifacts.length > 0 && { artifacts }),
    ...(history.length > 0 && { history }),
    ...(metadata !== undefined && { metadata }),
  };
}

/** A stored task as the protocol shows it. */
export function taskOf({ record, history, artifacts }: StoredTask): Task {
  return taskView({ ...record, history }, artifacts && artifactsOf(artifacts));
}

/** The artifacts as of now: the snapshot, and what came after it. */
export function artifactsOf({ snapshot, tail }: NonNullable<StoredTask['artifacts']>): readonly Artifact[] {
  const start = snapshot === undefined ? [] : (JSON.parse(snapshot) as Artifact[]);
  if (tail.length === 0) return start;
  const fold = new ArtifactFold(start);
  for (const event of tail) fold.apply(artifactUpdateOf(event));
  return fold.artifacts();
}
