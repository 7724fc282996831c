import type { Clock } from '../../support/time/clock.ts';
import type {
  ClaimedPush,
  DeadLetterQuery,
  DeadLetterRecord,
  NewDeadLetter,
  PushClaimRequest,
  PushConfigRecord,
  PushHolding,
  PushNoted,
  PushProgress,
  PushReport,
  TaskRecord,
} from '../store.ts';
import { PushShares } from '../push-shares.ts';
import { SortedList } from './sorted-list.ts';

/** A stored push config with its delivery progress. */
export interface PushEntry {
  readonly task: { readonly record: TaskRecord; readonly order: number };
  readonly id: string;
  /** The position among the push configs of its task. */
  readonly number: number;
  json: string;
  receiver: string;
  progress: PushProgress;
  /** When the next delivery is due. Undefined if there is nothing to deliver. */
  dueAt: number | undefined;
  disabled: string | undefined;
  node: string | undefined;
  fence: number;
}

/** The push configs of all tasks with pending deliveries, and their dead letters. */
export class PushQueue {
  readonly letters = new DeadLetters();
  readonly #clock: Clock;
  readonly #isAlive: (node: string | undefined) => boolean;
  readonly #due = new SortedList<PushEntry, PushEntry>(inOrder);

  constructor(clock: Clock, isAlive: (node: string | undefined) => boolean) {
    this.#clock = clock;
    this.#isAlive = isAlive;
  }

  makeDue(entry: PushEntry): void {
    if (entry.dueAt === undefined && entry.disabled === undefined) this.#setDue(entry, this.#clock.now());
  }

  /** Restarts the delivery of pending events and revokes the lease, if there is one. */
  resume(entry: PushEntry): void {
    entry.progress = { told: entry.progress.told, attempts: 0, givenUp: 0 };
    entry.fence += 1;
    entry.node = undefined;
    entry.disabled = undefined;
    this.#setDue(entry, this.#clock.now());
  }

  remove(entry: PushEntry): void {
    this.#setDue(entry, undefined);
    this.letters.removeOf(entry);
  }

  claim(request: PushClaimRequest): readonly ClaimedPush[] {
    const { node, agents } = request;
    const claimed: PushEntry[] = [];
    new PushShares(request).takeFrom(this.#free(agents, this.#clock.now(), node), toHolding, claimed);
    for (const entry of claimed) {
      entry.node = node;
      entry.fence += 1;
    }
    return claimed.map(toClaimed);
  }

  next(agents: readonly string[]): number | undefined {
    for (const { dueAt } of this.#free(agents, Number.POSITIVE_INFINITY)) return dueAt;
    return undefined;
  }

  note(entry: PushEntry, report: PushReport): PushNoted | undefined {
    if (entry.node !== report.node || entry.fence !== report.fence) return undefined;
    const { told, attempts, failingSince, givenUp, dueAt, disabled, deadLetter } = report;
    entry.progress = { told, attempts, givenUp, ...(failingSince !== undefined && { failingSince }) };
    if (deadLetter !== undefined) this.letters.add(entry, deadLetter);
    if (disabled !== undefined) entry.disabled = disabled;
    if (dueAt !== undefined || disabled !== undefined) {
      entry.node = undefined;
      this.#setDue(entry, dueAt);
    }
    return entry.dueAt === undefined ? {} : { dueAt: entry.dueAt };
  }

  /** Sets the due time. A disabled push config, or one without pending events, is not due. */
  #setDue(entry: PushEntry, time: number | undefined): void {
    const isDue = entry.disabled === undefined && entry.progress.told < entry.task.record.lastEvent;
    // The list is sorted by `dueAt`, so the entry is removed before the change.
    if (entry.dueAt !== undefined) this.#due.remove(entry);
    entry.dueAt = undefined;
    if (!isDue || time === undefined) return;
    entry.dueAt = time;
    this.#due.add(entry);
  }

  /** The entries that no living node holds, or that `self` holds, the longest due first. */
  *#free(agents: readonly string[], until: number, self?: string): IterableIterator<PushEntry> {
    for (const entry of this.#due) {
      if (dueTime(entry) > until) return;
      const { task, node } = entry;
      if (agents.includes(task.record.agent) && (node === self || !this.#isAlive(node))) yield entry;
    }
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

function toHolding({ task, id, receiver }: PushEntry): PushHolding {
  const { id: taskId, tenant, owner } = task.record;
  return { taskId, configId: id, tenant, owner, receiver };
}

function inOrder(a: PushEntry, b: PushEntry): number {
  return dueTime(a) - dueTime(b) || a.task.order - b.task.order || a.number - b.number;
}

interface Letter {
  readonly entry: PushEntry;
  readonly letter: NewDeadLetter;
}

/** The dead letters of all push configs, the oldest first. */
class DeadLetters {
  readonly #byId = new Map<string, Letter>();

  add(entry: PushEntry, letter: NewDeadLetter): void {
    this.#byId.delete(letter.id);
    this.#byId.set(letter.id, { entry, letter });
  }

  remove(id: string): boolean {
    return this.#byId.delete(id);
  }

  removeOf(entry: PushEntry): void {
    if (this.#byId.size === 0) return;
    for (const [id, letter] of this.#byId) if (letter.entry === entry) this.#byId.delete(id);
  }

  /** Deletes all but the latest `count`. */
  keep(count: number): void {
    for (const id of this.#byId.keys()) {
      if (this.#byId.size <= count) return;
      this.#byId.delete(id);
    }
  }

  page({ agents, id, of, limit, after }: DeadLetterQuery): readonly DeadLetterRecord[] {
    const start = after === undefined ? 0 : [...this.#byId.keys()].indexOf(after) + 1;
    return [...this.#byId.values()]
      .slice(start)
      .filter(({ entry, letter }) => {
        const { record } = entry.task;
        if (!agents.includes(record.agent) || (id !== undefined && letter.id !== id)) return false;
        return of === undefined || (of.taskId === record.id && of.configId === entry.id);
      })
      .slice(0, Math.max(0, limit))
      .map(toDeadLetter);
  }
}

function toDeadLetter({ entry, letter }: Letter): DeadLetterRecord {
  const { task, id, json, receiver, disabled } = entry;
  const { id: taskId, tenant, owner } = task.record;
  const config = JSON.parse(json) as PushConfigRecord;
  const record = { ...letter, taskId, configId: id, tenant, owner, config, receiver };
  return disabled === undefined ? record : { ...record, disabled };
}
