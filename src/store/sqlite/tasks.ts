import type { Clock } from '../../support/time/clock.ts';
import type { Writable } from '../../support/writable.ts';
import { isSameButNumbers } from '../guard.ts';
import type { TaskRecord } from '../store.ts';
import { type Connection, getNumber } from './database/connection.ts';
import { findTask, type FoundTask, insertTask, updateTask } from './task-row.ts';

/** The maximum number of cached tasks, and of their characters. Beyond either, the cache is cleared. */
const MAX_KNOWN = 1000;
const MAX_SIZE = 16 * 2 ** 20;

/** A changed row that is not written yet. */
interface Unsaved {
  /** The row in the table. Absent for a new task. */
  readonly stored?: FoundTask;
  readonly alias?: string | undefined;
  task: FoundTask;
}

/** The changed parts of a task besides its record. */
export type RowParts = Partial<Pick<FoundTask, 'lastMessage' | 'artifacts'>>;

/**
 * The table of tasks for writers. Every change of a row goes through this class.
 *
 * It caches recently used rows in the state of the current transaction, because a run writes to the same task repeatedly, and
 * reading its row costs as much as writing an event. The cache is never stale: `forget` is called when another connection has
 * written to the file and when a write was rolled back.
 *
 * `save` writes changed rows once, at the end of the transaction. A task that is created, started and ended in one transaction
 * costs one insert.
 */
export class Tasks {
  readonly #connection: Connection;
  readonly #clock: Clock;
  readonly #known = new Map<string, FoundTask>();
  readonly #unsaved = new Map<string, Unsaved>();
  /** An upper bound of the cached characters: ended tasks are not subtracted. */
  #size = 0;
  #lastPk: number | undefined;

  constructor(connection: Connection, clock: Clock) {
    this.#connection = connection;
    this.#clock = clock;
  }

  find(id: string): FoundTask | undefined {
    const known = this.#known.get(id) ?? this.#unsaved.get(id)?.task;
    if (known !== undefined) return known;
    const found = findTask(this.#connection, id);
    return found && this.#keep(found);
  }

  /** Adds a task whose id is new. @param message The first message, if it is stored in the row. */
  insert(record: TaskRecord, message: string | null, alias?: string): FoundTask {
    this.#lastPk ??= getNumber(this.#connection, 'SELECT ifnull(max(pk), 0) FROM task');
    const task = { pk: ++this.#lastPk, record, lastMessage: 1, message };
    this.#unsaved.set(record.id, { alias, task });
    // Aliases are looked up in the table.
    if (alias !== undefined) this.save();
    return this.#keep(task);
  }

  update(stored: FoundTask, record: TaskRecord, parts: RowParts = {}): void {
    const { pk, message = null, size } = stored;
    const { lastMessage = stored.lastMessage, artifacts = stored.artifacts ?? null } = parts;
    const task: Writable<FoundTask> = { pk, record, lastMessage, message, artifacts };
    if (size !== undefined) task.size = size;
    const unsaved = this.#unsaved.get(record.id);
    if (unsaved !== undefined) unsaved.task = task;
    else if (lastMessage !== stored.lastMessage || !isSameButNumbers(stored.record, record)) {
      this.#unsaved.set(record.id, { stored, task });
    }
    this.#keep(task);
  }

  remove({ pk, record }: FoundTask): void {
    const unsaved = this.#unsaved.get(record.id);
    this.#known.delete(record.id);
    this.#unsaved.delete(record.id);
    if (unsaved === undefined || unsaved.stored !== undefined)
      this.#connection.run('DELETE FROM task WHERE pk = ?', pk);
  }

  /** Writes the changed rows. Call it before a query of the table and before a commit. */
  save(): void {
    if (this.#unsaved.size === 0) return;
    const now = this.#clock.now();
    for (const { stored, alias, task } of this.#unsaved.values()) {
      this.#size +=
        stored === undefined
          ? insertTask(this.#connection, task, alias, now)
          : updateTask(this.#connection, stored, task, now);
    }
    this.#unsaved.clear();
    if (this.#size > MAX_SIZE) this.#forgetKnown();
  }

  forget(): void {
    this.#forgetKnown();
    this.#unsaved.clear();
    this.#lastPk = undefined;
  }

  #keep(task: FoundTask): FoundTask {
    const { id, endedAt } = task.record;
    // An ended task gets no more writes.
    if (endedAt !== undefined) {
      this.#known.delete(id);
      return task;
    }
    if (!this.#known.has(id)) this.#size += task.size ?? 0;
    this.#known.set(id, task);
    if (this.#known.size > MAX_KNOWN || this.#size > MAX_SIZE) this.#forgetKnown();
    return task;
  }

  #forgetKnown(): void {
    this.#known.clear();
    this.#size = 0;
  }
}
