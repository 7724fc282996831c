import type { NewCall, TaskRecord } from '../../store.ts';
import type { Database } from '../database.ts';
import type { Statement } from '../statements.ts';
import { type Columns, columnsOf, unnested } from './columns.ts';

/** The open calls that a transaction has read, with the ids of their tasks. */
export type KnownCalls = ReadonlyMap<string, string>;

const ADDED: Columns = {
  task_id: 'text',
  id: 'text',
  tenant: 'text',
  owner: 'text',
  agent: 'text',
  due_at: 'bigint',
  request: 'text',
};

/** The calls of one transaction: those that its writes add and remove, and those that become due. */
export class CallRows {
  /** The open calls by id, with the ids of their tasks. */
  readonly #open: Map<string, string>;
  /** By call id. A call may be added and removed in one transaction. */
  readonly #added = new Map<string, readonly unknown[]>();
  readonly #removed: string[] = [];
  /** The calls, and the tasks all of whose calls, become due. */
  readonly #due = new Set<string>();
  readonly #dueTasks = new Set<string>();
  readonly #goneTasks: string[] = [];

  constructor(known: KnownCalls) {
    this.#open = new Map(known);
  }

  /** The id of the task of an open call. */
  taskOf(callId: string): string | undefined {
    return this.#open.get(callId);
  }

  add({ id: taskId, tenant, owner, agent }: TaskRecord, { id, request, dueAt }: NewCall): void {
    this.#open.set(id, taskId);
    this.#added.set(id, [taskId, id, tenant, owner, agent, dueAt, JSON.stringify(request)]);
  }

  remove(callId: string): void {
    this.#open.delete(callId);
    if (!this.#added.delete(callId)) this.#removed.push(callId);
  }

  makeDue(callId: string): void {
    this.#due.add(callId);
  }

  makeDueOf(taskId: string): void {
    this.#dueTasks.add(taskId);
  }

  /** Removes all calls of a task. */
  removeOf(taskId: string): void {
    for (const [id, [ofTask]] of this.#added) if (ofTask === taskId) this.#added.delete(id);
    this.#dueTasks.delete(taskId);
    this.#goneTasks.push(taskId);
  }

  statements({ schema, now }: Database): readonly Statement[] {
    const [due, dueTasks, added] = [[...this.#due], [...this.#dueTasks], [...this.#added.values()]];
    const ids = [...this.#removed, ...due];
    const taskIds = [...this.#goneTasks, ...dueTasks];
    return [
      // One row needs no order.
      taskIds.length > 0 || ids.length > 1 ? locks(schema, ids, taskIds) : undefined,
      this.#goneTasks.length > 0 ? removals(schema, 'task_id', this.#goneTasks) : undefined,
      this.#removed.length > 0 ? removals(schema, 'id', this.#removed) : undefined,
      added.length > 0 ? inserts(schema, now, added) : undefined,
      due.length > 0 ? dueNow(schema, now, 'id', due) : undefined,
      dueTasks.length > 0 ? dueNow(schema, now, 'task_id', dueTasks) : undefined,
    ].filter((statement) => statement !== undefined);
  }
}

/** Reads open calls. Requires the locks on the rows of their tasks. */
export function openCalls(schema: string, ids: readonly string[]): Statement {
  return {
    name: 'open calls',
    text: `SELECT id, task_id FROM ${schema}.call WHERE id = ANY($1::text[]) AND failed IS NULL`,
    values: [ids],
  };
}

export function toKnownCalls(rows: readonly (readonly unknown[])[]): KnownCalls {
  return new Map(rows.map(([id, taskId]) => [String(id), String(taskId)]));
}

/**
 * Locks the rows of calls in the order of their ids, which prevents deadlocks: the writes of a parent and those of its children change
 * the same calls, and only the parent has the lock on its own row.
 */
function locks(schema: string, ids: readonly string[], taskIds: readonly string[]): Statement {
  return {
    name: 'lock calls',
    text: `SELECT FROM ${schema}.call WHERE id = ANY(ARRAY(
        SELECT id FROM ${schema}.call WHERE id = ANY($1::text[])
        UNION SELECT id FROM ${schema}.call WHERE task_id = ANY($2::text[])))
      ORDER BY id FOR UPDATE`,
    values: [ids, taskIds],
  };
}

function removals(schema: string, column: 'id' | 'task_id', names: readonly string[]): Statement {
  return {
    name: `remove calls by ${column}`,
    text: `DELETE FROM ${schema}.call WHERE ${column} = ANY($1::text[])`,
    values: [names],
  };
}

function inserts(schema: string, now: string, rows: readonly (readonly unknown[])[]): Statement {
  const names = Object.keys(ADDED).join(', ');
  return {
    text: `INSERT INTO ${schema}.call (created_at, ${names}) SELECT ${now}, * FROM ${unnested(ADDED)}`,
    values: columnsOf(rows, ADDED),
  };
}

function dueNow(schema: string, now: string, column: 'id' | 'task_id', names: readonly string[]): Statement {
  return {
    text: `UPDATE ${schema}.call SET due_at = ${now}
      WHERE ${column} = ANY($1::text[]) AND failed IS NULL AND (due_at IS NULL OR due_at > ${now})`,
    values: [names],
  };
}
