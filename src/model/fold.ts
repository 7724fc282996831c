import type { Artifact } from './artifact.ts';
import type { StreamResponse, TaskArtifactUpdateEvent } from './event.ts';
import type { Task } from './task.ts';

/**
 * The task after one more event. A stored task must equal what a reader gets by folding its stream, so this is the only
 * place that says what an event does: a status replaces the status, a chunk goes into its artifact, a Task is the new
 * truth. A bare Message belongs to no task and changes nothing.
 */
export function applyEvent(task: Task, event: StreamResponse): Task {
  if ('statusUpdate' in event) return { ...task, status: event.statusUpdate.status };
  if ('artifactUpdate' in event) {
    return { ...task, artifacts: applyChunk(task.artifacts ?? [], event.artifactUpdate) };
  }
  return 'task' in event ? event.task : task;
}

/** Without `append` the artifact is created or replaced; appending to one that is not there creates it. */
function applyChunk(artifacts: readonly Artifact[], event: TaskArtifactUpdateEvent): readonly Artifact[] {
  const { artifact, append } = event;
  const index = artifacts.findIndex(({ artifactId }) => artifactId === artifact.artifactId);
  const existing = artifacts[index];
  if (existing === undefined) return [...artifacts, artifact];
  return artifacts.with(index, append === true ? appendParts(existing, artifact) : artifact);
}

/** Parts are added, metadata is merged shallowly, a later name or description wins unless it is empty. */
function appendParts(artifact: Artifact, chunk: Artifact): Artifact {
  const metadata = chunk.metadata && { metadata: { ...artifact.metadata, ...chunk.metadata } };
  const name = chunk.name || artifact.name;
  const description = chunk.description || artifact.description;
  return {
    ...artifact,
    ...chunk,
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...metadata,
    parts: [...artifact.parts, ...chunk.parts],
  };
}
