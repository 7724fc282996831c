import type { Artifact } from '../../model/artifact.ts';
import type { TaskArtifactUpdateEvent, TaskStatusUpdateEvent } from '../../model/event.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Message } from '../../model/message.ts';
import type { Task, TaskStatus } from '../../model/task.ts';
import type { NewEvent, TaskRecord, StoredTask, TaskEvent } from '../../store/store.ts';
import { ArtifactFold } from '../../model/artifact-fold.ts';
import { withJoinedTexts } from '../../model/text-parts.ts';
import type { Writable } from '../../support/writable.ts';
import { eventMetadata } from '../task-trace.ts';

/** The ids and the trace context of a task, which every event contains. */
type TaskIds = Pick<TaskRecord, 'id' | 'contextId' | 'origin'>;

/** Event 1: the task as it was created. */
export function createdEvent(record: NewTaskView, message: Message): NewEvent {
  return { kind: 'task', body: JSON.stringify({ task: taskView(record, [message]) }) };
}

export function statusEvent(record: TaskIds, status: TaskStatus, given?: JsonObject): NewEvent {
  const { id, contextId } = record;
  const metadata = eventMetadata(record, given);
  const statusUpdate =
    metadata === undefined ? { taskId: id, contextId, status } : { taskId: id, contextId, status, metadata };
  return { kind: 'status', body: JSON.stringify({ statusUpdate }) };
}

export function artifactEvent(update: TaskArtifactUpdateEvent): NewEvent {
  return { kind: 'artifact', body: JSON.stringify({ artifactUpdate: update }) };
}

/** Sets `lastChunk` of a chunk. Extends the JSON text, because serialising a large chunk again costs more. */
export function asLastChunk({ kind, body }: NewEvent): NewEvent {
  return { kind, body: `${body.slice(0, -'}}'.length)},"lastChunk":true}}` };
}

/** Decodes an artifact event. Only for events of that kind. */
export function artifactUpdateOf({ body }: Pick<TaskEvent, 'body'>): TaskArtifactUpdateEvent {
  return (JSON.parse(body) as { artifactUpdate: TaskArtifactUpdateEvent }).artifactUpdate;
}

/** Decodes a status event. Only for events of that kind. */
export function statusUpdateOf({ body }: Pick<TaskEvent, 'body'>): TaskStatusUpdateEvent {
  return (JSON.parse(body) as { statusUpdate: TaskStatusUpdateEvent }).statusUpdate;
}

interface NewTaskView extends Pick<TaskRecord, 'id' | 'contextId'> {
  readonly status: TaskStatus;
  readonly metadata?: JsonObject;
}

/** A task in the 1.0 format. Members are set one by one, because spreads would cost more than everything else. */
export function taskView(
  { id, contextId, status, metadata }: NewTaskView,
  history: readonly Message[],
  artifacts: readonly Artifact[] = [],
): Task {
  const task: Writable<Task> = { id, contextId, status };
  if (artifacts.length > 0) task.artifacts = artifacts;
  if (history.length > 0) task.history = history;
  if (metadata !== undefined) task.metadata = metadata;
  return task;
}

/** A stored task in the 1.0 format. */
export function taskOf({ record, history, artifacts }: StoredTask): Task {
  return taskView(record, history, artifacts && artifactsOf(artifacts));
}

/** The current artifacts: the snapshot and the events after it. */
export function artifactsOf({ snapshot, tail }: NonNullable<StoredTask['artifacts']>): readonly Artifact[] {
  const start = snapshot === undefined ? [] : (JSON.parse(snapshot) as Artifact[]);
  // Snapshots of earlier versions contain a part per chunk.
  if (tail.length === 0) return start.map(withJoinedParts);
  const fold = new ArtifactFold(start);
  for (const event of tail) fold.apply(artifactUpdateOf(event));
  return fold.artifacts();
}

function withJoinedParts(artifact: Artifact): Artifact {
  const parts = withJoinedTexts(artifact.parts);
  return parts === artifact.parts ? artifact : { ...artifact, parts };
}
