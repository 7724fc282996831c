import type { Clock } from '../../support/clock.ts';
import type {
  ClaimedPush,
  PushClaimRequest,
  PushConfigRecord,
  PushNoted,
  PushProgress,
  PushReport,
  TaskRecord,
} from '../store.ts';
import { DeadLetters } from './dead-letters.ts';

/** A push configuration as it lies in the store. */
export interface PushEntry {
  readonly task: { readonly record: TaskRecord; readonly order: number };
  readonly id: string;
  /** Counts those of its task. */
  readonly number: number;
  json: string;
  receiver: string;
  progress: PushProgress;
  /** From when on something is to be told; absent if nothing is. */
  dueAt?: number;
  disabled?: string;
  node?: string;
  fence: number;
}

/** The push configurations that have something to tell, of all tasks, and what was given up of them. */
export class PushQueue {
  readonly letters = new DeadLetters();
  readonly #clock: Clock;
  readonly #isAlive: (node: string | undefined) => boolean;
  readonly #due = new Set<PushEntry>();

  constructor(clock: Clock, isAlive: (node: string | undefined) => boolean) {
    this.#clock = clock;
    this.#isAlive = isAlive;
  }

  makeDue(entry: PushEntry): void {
    if (entry.dueAt === undefined && entry.disabled === undefined) this.#setDue(entry, this.#clock.now());
  }

  /** Begins anew with what is left to tell, whoever was at it. */
  resume(entry: PushEntry): void {
    entry.progress = { told: entry.progress.told, attempts: 0, givenUp: 0 };
    entry.fence += 1;
    delete entry.node;
    delete entry.disabled;
    this.#setDue(entry, this.#clock.now());
  }

  remove(entry: PushEntry): void {
    this.#due.delete(entry);
    delete entry.dueAt;
    this.letters.removeOf(entry);
  }

  claim({ node, agents, limit, perReceiver, held }: PushClaimRequest): readonly ClaimedPush[] {
    const now = this.#clock.now();
    const keys = new Set(held.map(({ taskId, configId }) => keyOf(taskId, configId)));
    const perHost = new Map<string, number>();
    const count = (receiver: string): number => perHost.get(receiver) ?? 0;
    for (const { receiver } of held) perHost.set(receiver, count(receiver) + 1);
    const claimed: PushEntry[] = [];
    for (const entry of this.#free(agents, node)) {
      if (claimed.length >= limit || dueTime(entry) > now) break;
      if (keys.has(keyOf(entry.task.record.id, entry.id)) || count(entry.receiver) >= perReceiver) continue;
      perHost.set(entry.receiver, count(entry.receiver) + 1);
      entry.node = node;
      entry.fence += 1;
      claimed.push(entry);
    }
    return claimed.map(toClaimed);
  }

  next(agents: readonly string[]): number | undefined {
    return this.#free(agents)[0]?.dueAt;
  }

  note(entry: PushEntry, report: PushReport): PushNoted | undefined {
    if (entry.node !== report.node || entry.fence !== report.fence) return undefined;
    const { told, attempts, failingSince, givenUp, dueAt, disabled, deadLetter } = report;
    entry.progress = { told, attempts, givenUp, ...(failingSince !== undefined && { failingSince }) };
    if (deadLetter !== undefined) this.letters.add(entry, deadLetter);
    if (disabled !== undefined) entry.disabled = disabled;
    if (dueAt !== undefined || disabled !== undefined) {
      delete entry.node;
      this.#setDue(entry, dueAt);
    }
    return entry.dueAt === undefined ? {} : { dueAt: entry.dueAt };
  }

  /** Nothing is due of one that has been told all there is, or is to be told nothing. */
  #setDue(entry: PushEntry, time: number | undefined): void {
    const isDue = entry.disabled === undefined && entry.progress.told < entry.task.record.lastEvent;
    if (isDue && time !== undefined) {
      entry.dueAt = time;
      this.#due.add(entry);
    } else {
      delete entry.dueAt;
      this.#due.delete(entry);
    }
  }

  /** Those that no living node holds, but this one; the longest due come first. */
  #free(agents: readonly string[], self?: string): readonly PushEntry[] {
    return [...this.#due]
      .filter(({ task, node }) => agents.includes(task.record.agent) && (node === self || !this.#isAlive(node)))
      .sort((a, b) => dueTime(a) - dueTime(b) || a.task.order - b.task.order || a.number - b.number);
  }
}

function toClaimed(entry: PushEntry): ClaimedPush {
  const { task, id, json, receiver, progress, fence } = entry;
  const { id: taskId, tenant, owner } = task.record;
  const config = JSON.parse(json) as PushConfigRecord;
  return { taskId, configId: id, tenant, owner, config, receiver, fence, ...progress };
}

function dueTime({ dueAt = 0 }: PushEntry): number {
  return dueAt;
}

function keyOf(taskId: string, configId: string): string {
  return JSON.stringify([taskId, configId]);
}
