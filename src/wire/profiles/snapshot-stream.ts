import { ArtifactFold } from '../../model/artifact-fold.ts';
import type { Artifact } from '../../model/artifact.ts';
import type { StreamResponse, TaskArtifactUpdateEvent } from '../../model/event.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Task } from '../../model/task.ts';
import type { Dialect, StreamEncoder } from '../dialect.ts';
import type { Profile } from './profile.ts';

/**
 * Streams whose items are whole tasks, one for each change, with the JSON-RPC id 0. Decoding needs no repair, because a
 * task is a valid stream item and the id of an item is never checked. Under this profile the server encodes such
 * streams.
 */
export const snapshotStream: Profile = {
  name: 'snapshot-stream',
  forServer: (dialect) => ({ ...dialect, streamItemId: 0, createStreamEncoder: () => snapshotEncoder(dialect) }),
};

/**
 * Encodes each event once and folds the encoded forms, so that a snapshot repeats content but no work. This requires
 * that the dialect encodes statuses and artifacts of tasks and of events alike, as 0.2 and 0.3 do; parts are only
 * copied.
 */
function snapshotEncoder(dialect: Dialect): StreamEncoder {
  const encoder = dialect.createStreamEncoder();
  /** The task of the last snapshot; its artifacts are outdated if there is a fold. */
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

/** A stream that was resumed in the middle has not sent its task yet. */
function blankTask(event: Exclude<StreamResponse, { task: unknown } | { message: unknown }>): Task {
  const { taskId, contextId } = 'statusUpdate' in event ? event.statusUpdate : event.artifactUpdate;
  return { id: taskId, contextId, status: { state: 'TASK_STATE_WORKING' } };
}
