import { A2AError } from '../../errors.ts';
import type { Clock } from '../../support/clock.ts';
import type { Writable } from '../../support/writable.ts';
import { isSameButNumbers } from '../guard.ts';
import type { TaskRecord } from '../store.ts';
import { type Connection, getNumber } from './connection.ts';
import { findTask, type FoundTask, insertTask, updateTask } from './task-row.ts';

/** Tasks, and characters of them, that are kept at most; beyond either all of them are asked for anew. */
const MAX_KNOWN = 1000;
const MAX_SIZE = 16 * 2 ** 20;

/** A row that is to be written. */
interface Unsaved {
  /** As the table has it; absent for a new one. */
  readonly stored?: FoundTask;
  readonly alias?: string | undefined;
  task: FoundTask;
}

/** What changes with a task beside its record. */
export type RowParts = Partial<Pick<FoundTask, 'lastMessage' | 'artifacts'>>;

/**
 * The table of tasks, for those who write: every change of a row goes through here.
 *
 * It keeps the rows that were last read or written as the transaction has them, because a run writes to the same task
 * again and again, and asking for its row costs as much as writing an event. It never guesses: nobody else writes to the
 * file unnoticed, and `forget` is called when somebody has, and when a write was undone.
 *
 * Changed rows are written once, by `save`, at the end of the transaction: a task that is made, begun and ended in one
 * transaction is one insert.
 */
export class Tasks {
  readonly #connection: Connection;
  readonly #clock: Clock;
  readonly #known = new Map<string, FoundTask>();
  readonly #unsaved = new Map<string, Unsaved>();
  /** Of those that are known and of some that were: what ended is not taken off, for the sake of a simple sum. */
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

  /** @param message The first message, if it lies in the row. */
  insert(record: TaskRecord, message: string | null, alias?: string): FoundTask {
    const { id } = record;
    if (this.#known.has(id) || this.#unsaved.has(id))
      throw new A2AError('INTERNAL_ERROR', 'There is such a task already');
    this.#lastPk ??= getNumber(this.#connection, 'SELECT ifnull(max(pk), 0) FROM task');
    const task = { pk: ++this.#lastPk, record, lastMessage: 1, message };
    this.#unsaved.set(id, { alias, task });
    // Who asks for an alias asks the table.
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

  /** Writes what has changed. To be called before anybody else asks the table, and before a commit. */
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
    // Nobody writes to a task that has ended.
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
