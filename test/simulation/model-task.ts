import type { Artifact } from '../../src/model/artifact.ts';
import type { Part } from '../../src/model/part.ts';
import type { StreamResponse } from '../../src/model/event.ts';
import type { Message } from '../../src/model/message.ts';
import type { TaskState } from '../../src/model/state.ts';
import type { TaskStatus } from '../../src/model/task.ts';
import type { JournalEntry, NewEvent } from '../../src/store/store.ts';

/**
 * A task as it must be after all stored writes: a second implementation, written from the design and not from the code.
 *
 *     submitted ──► working ◄──► paused (a question is open)
 *         └────────────┴────────────┴──► completed, failed, rejected, canceled
 *     with the intent to cancel: only canceled
 */
export interface TaskModel {
  readonly id: string;
  readonly owner: string;
  readonly agent: string;
  readonly status: TaskStatus;
  /** The status before any event. */
  readonly firstStatus: TaskStatus;
  readonly isVisible: boolean;
  readonly isCanceling: boolean;
  readonly hasEnded: boolean;
  readonly question: string | undefined;
  /** The event of number n is at n - 1. */
  readonly log: readonly NewEvent[];
  readonly journal: readonly JournalEntry[];
  readonly history: readonly Message[];
  readonly fence: number;
  readonly node: string | undefined;
  readonly attempts: number;
  /** Its process died while it ran, and it has not shown since that it does no harm. */
  readonly isSuspect: boolean;
  /** Entries of the journal when it was claimed. */
  readonly claimedJournal: number;
  /** Crashes after it had added to the journal. */
  readonly crashes: number;
  readonly wakeAt: number | undefined;
}

const TERMINAL: ReadonlySet<TaskState> = new Set<TaskState>([
  'TASK_STATE_COMPLETED',
  'TASK_STATE_FAILED',
  'TASK_STATE_REJECTED',
  'TASK_STATE_CANCELED',
]);

/** The artifacts after some events, starting from those of a snapshot if given. */
export function foldArtifacts(log: readonly NewEvent[], start: readonly Artifact[] = []): readonly Artifact[] {
  const artifacts = new Map(start.map((artifact) => [artifact.artifactId, artifact]));
  for (const { kind, body } of log) {
    if (kind !== 'artifact') continue;
    const event = JSON.parse(body) as StreamResponse;
    if (!('artifactUpdate' in event)) continue;
    const { artifact, append: isAppended } = event.artifactUpdate;
    const old = isAppended === true ? artifacts.get(artifact.artifactId) : undefined;
    const parts = joined([...(old?.parts ?? []), ...artifact.parts]);
    artifacts.set(artifact.artifactId, { ...old, ...artifact, parts });
  }
  return [...artifacts.values()];
}

/** Handlers of the simulation publish texts and nothing else: all of an artifact is one part. */
function joined(parts: readonly Part[]): readonly Part[] {
  return [{ text: parts.map((part) => ('text' in part ? part.text : '')).join('') }];
}

/** The status after some events. */
export function foldStatus(log: readonly NewEvent[], start: TaskStatus): TaskStatus {
  return statusesOf(log).at(-1) ?? start;
}

/** The statuses in some events, in order. */
export function statusesOf(log: readonly NewEvent[]): readonly TaskStatus[] {
  return log.flatMap(({ kind, body }) => {
    if (kind !== 'status') return [];
    const event = JSON.parse(body) as StreamResponse;
    return 'statusUpdate' in event ? [event.statusUpdate.status] : [];
  });
}

export function isTerminalState(state: TaskState): boolean {
  return TERMINAL.has(state);
}

export function isPausedState(state: TaskState): boolean {
  return state === 'TASK_STATE_INPUT_REQUIRED' || state === 'TASK_STATE_AUTH_REQUIRED';
}
