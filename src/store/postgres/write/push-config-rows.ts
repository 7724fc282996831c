import { receiverOf } from '../../receiver.ts';
import type { PushConfigName, PushConfigRecord, PushConfigToPut } from '../../store.ts';
import type { Database } from '../database.ts';
import { RowBatch } from './row-batch.ts';
import type { Statement } from '../statements.ts';

/** The ids of the push configs of a task, by the id of the task. */
export type KnownPushConfigs = ReadonlyMap<string, ReadonlySet<string>>;

interface Put {
  readonly taskId: string;
  readonly record: PushConfigRecord;
  readonly told: number;
  /** Whether it replaces a push config with the same id. */
  readonly isKnown: boolean;
}

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
  readonly #later: Put[] = [];
  readonly #dueTasks = new Set<string>();

  /** @param known The push configs of the tasks to which one may be added. */
  constructor(known: KnownPushConfigs) {
    this.#known = known;
  }

  /** Adds the first push config of a new task. It receives all events. */
  addFirst(taskId: string, record: PushConfigRecord): void {
    const { id, dialect, createdAt, config } = record;
    this.#first.add(taskId, id, 1, dialect, createdAt, JSON.stringify(config), receiverOf(record), 0);
    this.#idsOf(taskId).add(id);
  }

  /**
   * Adds or replaces a push config. Returns whether there is room for it.
   *
   * @param told The number of the last event before the push config.
   */
  put(taskId: string, { record, max }: PushConfigToPut, told: number): boolean {
    const ids = this.#idsOf(taskId);
    const isKnown = ids.has(record.id);
    if (!isKnown && ids.size >= max) return false;
    ids.add(record.id);
    this.#later.push({ taskId, record, told, isKnown });
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
      ...this.#later.flatMap((put) => (gone.has(put.taskId) ? [] : stored(database, put))),
      due(schema, now, [...this.#dueTasks]),
    ];
  }

  #idsOf(taskId: string): Set<string> {
    const ids = this.#put.get(taskId) ?? new Set(this.#known.get(taskId));
    this.#put.set(taskId, ids);
    return ids;
  }
}

function stored({ schema, now }: Database, { taskId, record, told, isKnown }: Put): readonly Statement[] {
  if (!isKnown) return [added(schema, taskId, record, told)];
  return [replaced(schema, taskId, record), renewal(schema, now, { taskId, configId: record.id, lastEvent: told })];
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

function added(schema: string, taskId: string, record: PushConfigRecord, told: number): Statement {
  const { id, dialect, createdAt, config } = record;
  return {
    text: `INSERT INTO ${schema}.push_config (task_id, id, number, dialect, created_at, config, receiver, told)
      SELECT $1, $2, coalesce(max(number), 0) + 1, $3, $4, $5, $6, $7 FROM ${schema}.push_config WHERE task_id = $1`,
    values: [taskId, id, dialect, createdAt, JSON.stringify(config), receiverOf(record), told],
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
