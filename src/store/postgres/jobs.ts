import type { Desk } from './desk.ts';
import type { Needs } from './transaction.ts';
import type { Written } from './writes.ts';

/** A write that waits for the next transaction. */
export interface Job<T = unknown> {
  readonly taskId: string;
  /** Whether it makes the task. */
  readonly isNew?: boolean | undefined;
  /** Whether it is of a run, under its lease, and leaves a task from which a run can begin anew. */
  readonly isHolders?: boolean | undefined;
  /** Whether no caller waits for it: a run does, which would have to begin anew, or nobody. */
  readonly isPatient?: boolean | undefined;
  readonly key?: string | undefined;
  readonly alias?: string | undefined;
  /** Whether it asks which nodes live. */
  readonly nodes?: boolean | undefined;
  /** Whether it puts a push configuration. */
  readonly isPushed?: boolean | undefined;
  /** What the write is signed with. */
  readonly by?: string | undefined;
  /** Runs on what the transaction has locked. Throws before it has changed anything, or not at all. */
  readonly run: (desk: Desk) => Written<T>;
  /** Characters that it stores, as far as that is known at once. */
  readonly size: number;
  /** When it came, by the clock that only goes on. */
  readonly since: number;
  readonly resolve: (result: T) => void;
  readonly reject: (error: unknown) => void;
}

export type NewJob<T> = Omit<Job<T>, 'since' | 'resolve' | 'reject'>;

/** More than this in one transaction would hold its locks for too long, and be too long for one statement. */
const MAX_JOBS = 256;
const MAX_SIZE = 2 ** 24;

/** The writes that wait, in the order in which they came. */
export class Jobs {
  #waiting: Job[] = [];

  get size(): number {
    return this.#waiting.length;
  }

  add(job: Job): void {
    this.#waiting.push(job);
  }

  /** Those of the next transaction. */
  take(): Job[] {
    let size = 0;
    const end = this.#waiting.findIndex((job, i) => i >= MAX_JOBS || ((size += job.size) > MAX_SIZE && i > 0));
    return this.#waiting.splice(0, end < 0 ? this.#waiting.length : end);
  }

  /** Those that have waited for long enough. */
  takeLate(isLate: (job: Job) => boolean): readonly Job[] {
    return takeLate(this.#waiting, isLate);
  }

  /** Those who can join a transaction that has its locks already. The writes to one task keep their order. */
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

/** Takes those out of a list for which it holds. */
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

function isCovered({ taskId, key, alias, nodes, isPushed }: Job, needs: Needs): boolean {
  if (!needs.taskIds.has(taskId) || (nodes === true && !needs.nodes)) return false;
  if (isPushed === true && !needs.pushedIds.has(taskId)) return false;
  return (key === undefined || needs.keys.has(key)) && (alias === undefined || needs.aliases.has(alias));
}

export function needsOf(jobs: readonly Job[]): Needs {
  const taskIds = new Set<string>();
  const knownIds = new Set<string>();
  const keys = new Set<string>();
  const aliases = new Set<string>();
  const pushedIds = new Set<string>();
  let nodes = false;
  let isHolders = true;
  for (const job of jobs) {
    taskIds.add(job.taskId);
    if (job.isNew !== true) knownIds.add(job.taskId);
    if (job.key !== undefined) keys.add(job.key);
    if (job.alias !== undefined) aliases.add(job.alias);
    if (job.isPushed === true) pushedIds.add(job.taskId);
    nodes ||= job.nodes === true;
    isHolders &&= job.isHolders === true;
  }
  return { taskIds, knownIds, keys, aliases, pushedIds, nodes, isHolders };
}
