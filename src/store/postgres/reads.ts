import type { JsonValue } from '../../model/json.ts';
import type { Message } from '../../model/message.ts';
import type { JournalRecord, ReadParts, Scope, StoredTask, TaskEvent } from '../store.ts';
import type { Database, Row } from './database.ts';
import { EVENT_KINDS } from './desk.ts';
import { TASK_COLUMN_COUNT, TASK_COLUMNS, toFound } from './task-row.ts';

const ARTIFACT = EVENT_KINDS.indexOf('artifact');

/** The columns of a task and of the parts that are asked for. One statement, so that all are of the same moment. */
export function columnsWith(schema: string, { history, artifacts }: ReadParts): string {
  const last = Number.isFinite(history ?? Infinity) ? `LIMIT ${Math.max(0, Math.trunc(history ?? 0))}` : '';
  const messages =
    history === 0
      ? 'NULL'
      : `(SELECT json_agg(m.body ORDER BY m.number) FROM
          (SELECT number, body FROM ${schema}.message WHERE task_id = t.id ORDER BY number DESC ${last}) AS m)`;
  const made =
    artifacts === true
      ? `t.artifacts, (SELECT json_agg(json_build_array(e.number, e.body) ORDER BY e.number) FROM ${schema}.event e
          WHERE e.task_id = t.id AND e.number > t.artifacts_up_to AND e.kind = ${ARTIFACT})`
      : 'NULL, NULL';
  return `${TASK_COLUMNS}, ${messages}, ${made}`;
}

/** Reads a row of `columnsWith`. */
export function toStored(row: Row, { artifacts }: ReadParts): StoredTask {
  const { record } = toFound(row);
  const [messages, snapshot, tail] = row.slice(TASK_COLUMN_COUNT) as (string | null)[];
  const history = (JSON.parse(messages ?? '[]') as string[]).map((body) => JSON.parse(body) as Message);
  if (artifacts !== true) return { record, history };
  const later = (JSON.parse(tail ?? '[]') as [number, string][]).map(([number, body]): TaskEvent => ({
    number,
    kind: 'artifact',
    body,
  }));
  return {
    record,
    history,
    artifacts: snapshot === null || snapshot === undefined ? { tail: later } : { snapshot, tail: later },
  };
}

export async function readTask(
  database: Database,
  { tenant, owner }: Scope,
  taskId: string,
  parts: ReadParts,
): Promise<StoredTask | undefined> {
  const { schema } = database;
  const [row] = await database.rows(
    `SELECT ${columnsWith(schema, parts)} FROM ${schema}.task t WHERE t.id = $1 AND t.tenant = $2 AND t.owner = $3`,
    [taskId, tenant, owner],
  );
  return row && toStored(row, parts);
}

export async function readEvents(
  database: Database,
  taskId: string,
  after: number,
  limit: number,
): Promise<readonly TaskEvent[]> {
  const rows = await database.rows(
    `SELECT number, kind, body FROM ${database.schema}.event WHERE task_id = $1 AND number > $2 ORDER BY number LIMIT $3`,
    [taskId, after, sqlLimit(limit)],
  );
  return rows.map(([number, kind, body]) => ({
    number: Number(number),
    kind: EVENT_KINDS[Number(kind)] ?? 'task',
    body: String(body),
  }));
}

export async function readJournal(
  database: Database,
  taskId: string,
  after: number,
): Promise<readonly JournalRecord[]> {
  const rows = await database.rows(
    `SELECT number, kind, key, body FROM ${database.schema}.journal WHERE task_id = $1 AND number > $2 ORDER BY number`,
    [taskId, after],
  );
  return rows.map(([number, kind, key, body]) => ({
    number: Number(number),
    kind: JSON.parse(String(kind)) as string,
    key: JSON.parse(String(key)) as string,
    body: JSON.parse(String(body)) as JsonValue,
  }));
}

/** A limit as PostgreSQL wants it: a whole number, with nothing for none. */
export function sqlLimit(limit: number): number | null {
  return Number.isFinite(limit) ? Math.max(0, Math.trunc(limit)) : null;
}
