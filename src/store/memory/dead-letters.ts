import type { DeadLetterQuery, DeadLetterRecord, NewDeadLetter, PushConfigRecord } from '../store.ts';
import type { PushEntry } from './push-queue.ts';

interface Letter {
  readonly entry: PushEntry;
  readonly letter: NewDeadLetter;
}

/** The dead letters of all push configs, the oldest first. */
export class DeadLetters {
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
      .map(toRecord);
  }
}

function toRecord({ entry, letter }: Letter): DeadLetterRecord {
  const { task, id, json, receiver, disabled } = entry;
  const { id: taskId, tenant, owner } = task.record;
  const config = JSON.parse(json) as PushConfigRecord;
  const record = { ...letter, taskId, configId: id, tenant, owner, config, receiver };
  return disabled === undefined ? record : { ...record, disabled };
}
