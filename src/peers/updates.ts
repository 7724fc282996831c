import type { AgentEvent } from '../client/event.ts';
import { TaskFold } from '../client/task/task-fold.ts';
import type { PeerUpdate } from '../engine/calls/peers.ts';
import type { Artifact } from '../model/artifact.ts';
import type { StreamResponse } from '../model/event.ts';
import { isPaused, isTerminal } from '../model/state.ts';
import type { Task, TaskStatus } from '../model/task.ts';
import { withQuestionId } from './question-id.ts';

export function isSettled({ state }: TaskStatus): boolean {
  return isTerminal(state) || isPaused(state);
}

/** The task that is followed. */
interface Followed {
  /** The task as it was before the first event, if the subscriber knows nothing of it. */
  readonly first: Task | undefined;
  /** Opens the stream. */
  readonly events: () => AsyncIterable<AgentEvent>;
  /** Returns the task as it is now. */
  readonly wholeTask: () => Promise<Task>;
}

/**
 * The updates of a task until it has ended or asks a question. Peers before 1.0 do not start a stream with the task, so chunks that
 * neither the first state nor the events had are added at the end.
 */
export async function* updatesOf({ first, events, wholeTask }: Followed): AsyncGenerator<PeerUpdate, void, void> {
  let known: TaskFold | undefined;
  if (first !== undefined) {
    known = new TaskFold(first);
    yield* artifactsOf(first);
    if (isSettled(first.status)) return yield settledWith(first);
  }
  for await (const event of events()) {
    const { number } = event;
    if (event.type === 'message') return yield { kind: 'settled', state: { kind: 'message', message: event.message } };
    if (event.type === 'artifact') {
      known?.take(event.response);
      yield chunkOf(event.artifact, event.append, number);
    } else if (event.type === 'status' && !isSettled(event.status)) {
      if (event.text !== '')
        yield { kind: 'progress', text: event.text, ...(number !== undefined && { event: number }) };
    } else {
      const task = event.type === 'task' ? withQuestionId(event.task, event.raw) : await wholeTask();
      if (known !== undefined) yield* chunksIn(known.missed(task), number);
      else if (event.type === 'task') yield* artifactsOf(task, number);
      (known ??= new TaskFold()).take({ task });
      // A question may have been answered by now.
      if (isSettled(task.status)) return yield settledWith(task);
    }
  }
}

function settledWith(task: Task): PeerUpdate {
  return { kind: 'settled', state: { kind: 'task', task } };
}

function* artifactsOf({ artifacts = [] }: Task, number?: number): Generator<PeerUpdate, void, void> {
  for (const artifact of artifacts) yield chunkOf(artifact, false, number);
}

function* chunksIn(events: Iterable<StreamResponse>, number: number | undefined): Generator<PeerUpdate, void, void> {
  for (const event of events) {
    if (!('artifactUpdate' in event)) continue;
    const { artifact, append = false } = event.artifactUpdate;
    yield chunkOf(artifact, append, number);
  }
}

function chunkOf({ name, artifactId, parts }: Artifact, append: boolean, number: number | undefined): PeerUpdate {
  return {
    kind: 'artifact',
    name: name ?? artifactId,
    parts,
    append,
    ...(number !== undefined && { event: number }),
  };
}
