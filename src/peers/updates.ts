import type { AgentEvent } from '../client/event.ts';
import type { PeerState, PeerUpdate } from '../engine/calls/peers.ts';
import type { Artifact } from '../model/artifact.ts';
import { isPaused, isTerminal } from '../model/state.ts';
import type { Task, TaskStatus } from '../model/task.ts';

export function isSettled({ state }: TaskStatus): boolean {
  return isTerminal(state) || isPaused(state);
}

/** Converts the events of a task to updates. Ends after the first event with which the task has ended or asks a question. */
export async function* updatesOf(
  events: AsyncIterable<AgentEvent>,
  wholeTask: () => Promise<Task>,
): AsyncGenerator<PeerUpdate, void, void> {
  for await (const event of events) {
    const numbered = event.number === undefined ? {} : { event: event.number };
    switch (event.type) {
      case 'message':
        return yield settled({ kind: 'message', message: event.message });
      case 'task': {
        const { status, artifacts = [] } = event.task;
        if (isSettled(status)) return yield settled({ kind: 'task', task: event.task });
        for (const artifact of artifacts) yield { ...chunkOf(artifact), append: false, ...numbered };
        continue;
      }
      case 'artifact':
        yield { ...chunkOf(event.artifact), append: event.append, ...numbered };
        continue;
      case 'status':
        // The stream may have started after the first artifacts.
        if (isSettled(event.status)) return yield settled({ kind: 'task', task: await wholeTask() });
        if (event.text !== '') yield { kind: 'progress', text: event.text, ...numbered };
    }
  }
}

function settled(state: PeerState): PeerUpdate {
  return { kind: 'settled', state };
}

function chunkOf({ name, artifactId, parts }: Artifact) {
  return { kind: 'artifact', name: name ?? artifactId, parts } as const;
}
