import type { PostgresUnitOfWork } from './unit-of-work.ts';
import type { Needs } from './transaction.ts';

/** A write that waits for the next transaction. */
export interface Job<T = unknown> {
  readonly taskId: string;
  /** Whether it creates the task. */
  readonly isNew?: boolean | undefined;
  /** Whether a run writes under its lease, and leaves the task in a state from which a run can restart. */
  readonly isLeaseHolder?: boolean | undefined;
  /** Whether no caller waits: only a run, which would have to restart, or nothing at all. */
  readonly isBackground?: boolean | undefined;
  readonly key?: string | undefined;
  readonly alias?: string | undefined;
  /** Whether it needs to know which nodes are alive. */
  readonly nodes?: boolean | undefined;
  /** The calls that it needs to know. */
  readonly callIds?: readonly string[] | undefined;
  /** Whether it adds a push config. */
  readonly isPushed?: boolean | undefined;
  /** The node in `TaskWrite.by`. */
  readonly by?: string | undefined;
  /** Whether watchers are not notified. */
  readonly isSilent?: boolean | undefined;
  /** Runs on the locked data of the transaction. If it throws, it has changed nothing. */
  readonly run: (unit: PostgresUnitOfWork) => T;
  /** The approximate number of characters that it stores. */
  readonly size: number;
  /** When it was submitted, by the monotonic clock. */
  readonly since: number;
  readonly resolve: (result: T) => void;
  readonly reject: (error: unknown) => void;
}

export type NewJob<T> = Omit<Job<T>, 'since' | 'resolve' | 'reject'>;

/** Larger transactions would hold their locks too long and exceed the size of a statement. */
const MAX_JOBS = 256;
const MAX_SIZE = 2 ** 24;

/** The queue of writes, in the order of their submission. */
export class Jobs {
  #waiting: Job[] = [];

  get size(): number {
    return this.#waiting.length;
  }

  add(job: Job): void {
    this.#waiting.push(job);
  }

  /** Takes the jobs of the next transaction. */
  take(): Job[] {
    let size = 0;
    const end = this.#waiting.findIndex((job, i) => i >= MAX_JOBS || ((size += job.size) > MAX_SIZE && i > 0));
    return this.#waiting.splice(0, end < 0 ? this.#waiting.length : end);
  }

  /** Takes the jobs that have waited too long. */
  takeLate(isLate: (job: Job) => boolean): readonly Job[] {
    return takeLate(this.#waiting, isLate);
  }

  /** Takes the jobs that can join a transaction with these locks. The writes to one task keep their order. */
  takeCovered(needs: Needs, taken: readonly Job[]): readonly Job[] {
    if (this.#waiting.length === 0) return [];
    let size = sizeOf(taken);
    const joining: Job[] = [];
    const staying: Job[] = [];
    const held = new Set<string>();
    for (const job of this.#waiting) {
      const hasRoom = taken.length + joining.length < MAX_JOBS && size + job.size <= MAX_SIZE;
      if (hasRoom && !held.has(job.taskId) && isCovered(job, needs)) {
        joining.push(job);
        size += job.size;
      } else {
        held.add(job.taskId);
        staying.push(job);
      }
    }
    this.#waiting = staying;
    return joining;
  }
}

/** Removes the late jobs from a list and returns them. */
export function takeLate(jobs: Job[], isLate: (job: Job) => boolean): readonly Job[] {
  const late: Job[] = [];
  const others: Job[] = [];
  for (const job of jobs) (isLate(job) ? late : others).push(job);
  if (late.length > 0) {
    jobs.length = 0;
    for (const job of others) jobs.push(job);
  }
  return late;
}

function sizeOf(jobs: readonly Job[]): number {
  return jobs.reduce((sum, { size }) => sum + size, 0);
}

function isCovered({ taskId, key, alias, nodes, isPushed, callIds = [] }: Job, needs: Needs): boolean {
  if (!needs.taskIds.has(taskId) || (nodes === true && !needs.nodes)) return false;
  if (isPushed === true && !needs.pushedIds.has(taskId)) return false;
  if (callIds.some((id) => !needs.callIds.has(id))) return false;
  return (key === undefined || needs.keys.has(key)) && (alias === undefined || needs.aliases.has(alias));
}

export function needsOf(jobs: readonly Job[]): Needs {
  const taskIds = new Set<string>();
  const knownIds = new Set<string>();
  const keys = new Set<string>();
  const aliases = new Set<string>();
  const pushedIds = new Set<string>();
  const callIds = new Set<string>();
  let nodes = false;
  let isLeaseHolder = true;
  for (const job of jobs) {
    taskIds.add(job.taskId);
    if (job.isNew !== true) knownIds.add(job.taskId);
    if (job.key !== undefined) keys.add(job.key);
    if (job.alias !== undefined) aliases.add(job.alias);
    if (job.isPushed === true) pushedIds.add(job.taskId);
    for (const id of job.callIds ?? []) callIds.add(id);
    nodes ||= job.nodes === true;
    isLeaseHolder &&= job.isLeaseHolder === true;
  }
  return { taskIds, knownIds, keys, aliases, pushedIds, callIds, nodes, isLeaseHolder };
}
