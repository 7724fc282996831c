import type { NewTask, TaskRecord } from '../store.ts';
import type { Connection } from './connection.ts';
import { findTask, type FoundTask, insertTask, updateTask } from './task-row.ts';

/** Tasks that are kept at most; beyond it all of them are asked for anew. */
const MAX_KNOWN = 1000;

/**
 * The table of tasks, for those who write: every change of a row goes through here. It keeps the rows that were last
 * read or written as the transaction has them, because a run writes to the same task again and again, and asking for its
 * row costs as much as writing an event. It never guesses: nobody else writes to the file unnoticed, and `forget` is
 * called when somebody has, and when a write was undone.
 */
export class Tasks {
  readonly #connection: Connection;
  readonly #known = new Map<string, FoundTask>();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  find(id: string): FoundTask | undefined {
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    const found = findTask(this.#connection, id);
    return found && this.#keep(found);
  }

  insert(task: NewTask): FoundTask {
    return this.#keep(insertTask(this.#connection, task));
  }

  update(task: FoundTask, record: TaskRecord, lastMessage: number = task.lastMessage): void {
    updateTask(this.#connection, task, record, lastMessage);
    this.#keep({ pk: task.pk, record, lastMessage });
  }

  remove({ pk, record }: FoundTask): void {
    this.#connection.run('DELETE FROM task WHERE pk = ?', pk);
    this.#known.delete(record.id);
  }

  forget(): void {
    this.#known.clear();
  }

  #keep(task: FoundTask): FoundTask {
    const { id, endedAt } = task.record;
    // Nobody writes to a task that has ended.
    if (endedAt !== undefined) this.#known.delete(id);
    else if (this.#known.set(id, task).size > MAX_KNOWN) this.#known.clear();
    return task;
  }
}
