import type { Writable } from '../support/writable.ts';
import type { TaskRecord } from './store.ts';

/** The bounds of the observation time of a suspect, which is twice the longest run of the dead node. */
const MIN_TRIAL_MS = 1000;
const MAX_TRIAL_MS = 30_000;

/** The record of a task after a claim. */
export function claimedBy(node: string, record: TaskRecord): TaskRecord {
  const { fence, attempts, lastJournal } = record;
  const claimed: Writable<TaskRecord> = { ...record, node, fence: fence + 1, attempts: attempts + 1 };
  if (lastJournal > 0) claimed.claimedJournal = lastJournal;
  return claimed;
}

/**
 * The records of the tasks that a dead node was running. Each of them may have ended the process, so all become suspects. If one
 * of them was already a suspect, the crash counts only for that one. A task that has written to its journal since it was claimed
 * makes progress, so its attempts start at 0 again.
 */
export function suspectsOf(records: readonly TaskRecord[], now: number): readonly TaskRecord[] {
  const hadSuspect = records.some(({ suspectMs }) => suspectMs !== undefined);
  const suspectMs = trialMs(records, now);
  return records.map((record) => {
    const { node: _, ...suspect }: Writable<TaskRecord> = record;
    // The task was running, so it is due regardless of `wakeAt`.
    suspect.wakeAt = Math.min(record.wakeAt ?? now, now);
    suspect.suspectMs = suspectMs;
    if (hadSuspect && record.suspectMs === undefined) suspect.attempts = Math.max(0, record.attempts - 1);
    else if (record.lastJournal > (record.claimedJournal ?? 0)) {
      suspect.attempts = 0;
      suspect.crashes = (record.crashes ?? 0) + 1;
    }
    return suspect;
  });
}

function trialMs(records: readonly TaskRecord[], now: number): number {
  // `wakeAt` is before the claim, so no run has lasted longer.
  const longest = Math.max(...records.map(({ wakeAt = now }) => now - wakeAt));
  return Math.min(Math.max(2 * longest, MIN_TRIAL_MS), MAX_TRIAL_MS);
}

/** The order in which suspects are claimed. */
export function bySuspicion(a: SuspectTask, b: SuspectTask): number {
  return a.attempts - b.attempts || a.wakeAt - b.wakeAt || a.order - b.order;
}

/** A suspect that may be claimed. */
export interface SuspectTask {
  /** See `TaskRecord.attempts`. */
  readonly attempts: number;
  /** The time from which it is due. */
  readonly wakeAt: number;
  /** Breaks ties. */
  readonly order: number;
}
