import { receiverOf } from '../../push-shares.ts';
import type { PushConfigName, PushConfigRecord, TaskRecord } from '../../store.ts';
import type { Database } from '../database.ts';
import { RowBatch } from './row-batch.ts';
import type { Statement } from '../statements.ts';

/** The ids of the push configs of a task, by the id of the task. */
export type KnownPushConfigs = ReadonlyMap<string, ReadonlySet<string>>;

/** The push configs of one transaction: those that its writes add, and those that become due. */
export class PushConfigRows {
  readonly #known: KnownPushConfigs;
  readonly #put = new Map<string, Set<string>>();
  readonly #first = new RowBatch('push_config', {
    task_id: 'text',
    id: 'text',
    number: 'integer',
    dialect: 'text',
    created_at: 'bigint',
    config: 'text',
    receiver: 'text',
    told: 'integer',
  });
  /** The changes of all others, in their order. */
  readonly #later: { readonly taskId: string; readonly statements: (database: Database) => readonly Statement[] }[] =
    [];
  readonly #dueTasks = new Set<string>();

  /** @param known The push configs of the tasks to which one may be added. */
  constructor(known: KnownPushConfigs) {
    this.#known = known;
  }

  count(taskId: string): number {
    return this.#idsOf(taskId).size;
  }

  /** @param delivered The number of the last event that it does not receive. */
  add(taskId: string, record: PushConfigRecord, delivered: number): void {
    const { id, dialect, createdAt, config } = record;
    const ids = this.#idsOf(taskId);
    if (ids.size === 0) {
      this.#first.add(taskId, id, 1, dialect, createdAt, JSON.stringify(config), receiverOf(record), delivered);
    } else {
      this.#later.push({ taskId, statements: ({ schema }) => [added(schema, taskId, record, delivered)] });
    }
    ids.add(id);
  }

  /** Replaces a push config and restarts its delivery. Returns whether there is one with its id. */
  replace({ id: taskId, lastEvent }: TaskRecord, record: PushConfigRecord): boolean {
    if (!this.#idsOf(taskId).has(record.id)) return false;
    const delivery = { taskId, configId: record.id, lastEvent };
    this.#later.push({
      taskId,
      statements: ({ schema, now }) => [replaced(schema, taskId, record), renewal(schema, now, delivery)],
    });
    return true;
  }

  /** Makes the push configs of a task due, after new events. */
  makeDue(taskId: string): void {
    this.#dueTasks.add(taskId);
  }

  statements(database: Database, gone: ReadonlySet<string>): readonly (Statement | undefined)[] {
    const { schema, now } = database;
    return [
      this.#first.insert(schema, gone),
      ...this.#later.flatMap(({ taskId, statements }) => (gone.has(taskId) ? [] : statements(database))),
      due(schema, now, [...this.#dueTasks]),
    ];
  }

  #idsOf(taskId: string): Set<string> {
    const ids = this.#put.get(taskId) ?? new Set(this.#known.get(taskId));
    this.#put.set(taskId, ids);
    return ids;
  }
}

/** Reads the push configs of tasks whose rows are locked. */
export function knownPushConfigs(schema: string, taskIds: readonly string[]): Statement {
  return {
    name: 'known push configs',
    text: `SELECT task_id, array_to_json(array_agg(id))::text FROM ${schema}.push_config WHERE task_id = ANY($1::text[])
      GROUP BY task_id`,
    values: [taskIds],
  };
}

export function toKnownPushConfigs(rows: readonly (readonly unknown[])[]): KnownPushConfigs {
  return new Map(rows.map(([taskId, ids]) => [String(taskId), new Set(JSON.parse(String(ids)) as string[])]));
}

export interface LastNotified extends PushConfigName {
  readonly lastEvent: number;
}

/** Restarts the delivery of pending events and revokes the lease, if there is one. */
export function renewal(schema: string, now: string, { taskId, configId, lastEvent }: LastNotified): Statement {
  return {
    text: `UPDATE ${schema}.push_config SET attempts = 0, failing_since = NULL, given_up = 0, disabled = NULL, node = NULL,
       fence = fence + 1, due_at = CASE WHEN told < $3 THEN ${now} END
     WHERE task_id = $1 AND id = $2`,
    values: [taskId, configId, lastEvent],
  };
}

function replaced(schema: string, taskId: string, record: PushConfigRecord): Statement {
  const { id, dialect, config } = record;
  return {
    text: `UPDATE ${schema}.push_config SET dialect = $3, config = $4, receiver = $5 WHERE task_id = $1 AND id = $2`,
    values: [taskId, id, dialect, JSON.stringify(config), receiverOf(record)],
  };
}

function added(schema: string, taskId: string, record: PushConfigRecord, delivered: number): Statement {
  const { id, dialect, createdAt, config } = record;
  return {
    text: `INSERT INTO ${schema}.push_config (task_id, id, number, dialect, created_at, config, receiver, told)
      SELECT $1, $2, coalesce(max(number), 0) + 1, $3, $4, $5, $6, $7 FROM ${schema}.push_config WHERE task_id = $1`,
    values: [taskId, id, dialect, createdAt, JSON.stringify(config), receiverOf(record), delivered],
  };
}

function due(schema: string, now: string, taskIds: readonly string[]): Statement | undefined {
  if (taskIds.length === 0) return undefined;
  return {
    text: `UPDATE ${schema}.push_config SET due_at = ${now}
      WHERE task_id = ANY($1::text[]) AND due_at IS NULL AND disabled IS NULL`,
    values: [taskIds],
  };
}
