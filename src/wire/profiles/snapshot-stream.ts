import { ArtifactFold } from '../../model/artifact-fold.ts';
import type { Artifact } from '../../model/artifact.ts';
import type { StreamResponse, TaskArtifactUpdateEvent } from '../../model/event.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Task } from '../../model/task.ts';
import type { Dialect, StreamEncoder } from '../dialect.ts';
import type { Profile } from './profile.ts';

/**
 * Streams whose items are whole tasks, one for each change, under the JSON-RPC id 0. Reading needs nothing special: a task
 * is a legal stream item and the id of an item is never checked. The answers of such a mount do the same.
 */
export const snapshotStream: Profile = {
  name: 'snapshot-stream',
  answer: (dialect) => ({ ...dialect, streamItemId: 0, createStreamEncoder: () => snapshotEncoder(dialect) }),
};

/**
 * Translates each event once and folds what came out: a snapshot repeats what it showed before, but no work. That needs
 * no more than a dialect in which tasks and events write statuses and artifacts alike, as 0.2 and 0.3 do; parts are only
 * passed on.
 */
function snapshotEncoder(dialect: Dialect): StreamEncoder {
  const encoder = dialect.createStreamEncoder();
  /** The task as it was shown last, but for its artifacts if there is a fold. */
  let task: JsonObject | undefined;
  let artifacts: ArtifactFold | undefined;

  function encodeOne(event: StreamResponse, closes: boolean): JsonObject {
    return encoder.encode(event, closes)[0] as JsonObject;
  }

  function take(event: Exclude<StreamResponse, { message: unknown }>, closes: boolean): void {
    const json = encodeOne(event, closes);
    if ('task' in event) {
      task = json;
      artifacts = undefined;
      return;
    }
    task ??= encodeOne({ task: blankTask(event) }, false);
    const { status = null } = json;
    if ('statusUpdate' in event) task = { ...task, status };
    else {
      artifacts ??= new ArtifactFold((task['artifacts'] ?? []) as unknown as readonly Artifact[]);
      artifacts.apply(json as unknown as Pick<TaskArtifactUpdateEvent, 'artifact' | 'append'>);
    }
  }

  return {
    encode(event, closes) {
      if ('message' in event) return encoder.encode(event, closes);
      take(event, closes);
      return [artifacts === undefined ? task : { ...task, artifacts: artifacts.artifacts() }];
    },
    skip(event) {
      if (!('message' in event)) take(event, false);
    },
  };
}

/** A stream resumed in the middle has not shown its task yet. */
function blankTask(event: Exclude<StreamResponse, { task: unknown } | { message: unknown }>): Task {
  const { taskId, contextId } = 'statusUpdate' in event ? event.statusUpdate : event.artifactUpdate;
  return { id: taskId, contextId, status: { state: 'TASK_STATE_WORKING' } };
}
