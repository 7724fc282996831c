import type { Message } from '../../../model/message.ts';
import type { Writable } from '../../../support/writable.ts';
import { JOURNAL_COLUMNS, type JournalRow, toJournalRecord } from '../../journal-row.ts';
import type { JournalRecord, ReadParts, Scope, StoredTask, TaskEvent } from '../../store.ts';
import type { Database } from '../database.ts';
import type { Row } from '../statements.ts';
import { EVENT_KINDS } from '../write/unit-of-work.ts';
import { RECORD_COLUMN_COUNT } from '../../task-row.ts';
import { currentColumns, toFound } from '../task-row.ts';

const ARTIFACT = EVENT_KINDS.indexOf('artifact');

/** The columns of a task and of the requested parts, for one statement, so that all parts are consistent. */
export function columnsWith(schema: string, { history, historyBytes, artifacts }: ReadParts): string {
  const messages = history === 0 ? 'NULL' : messagesOf(schema, history, historyBytes);
  const made =
    artifacts === true
      ? `t.artifacts, (SELECT json_agg(json_build_array(e.number, e.body) ORDER BY e.number) FROM ${schema}.event e
          WHERE e.task_id = t.id AND e.number > t.artifacts_up_to AND e.kind = ${ARTIFACT})`
      : 'NULL, NULL';
  return `${currentColumns(schema)}, ${messages}, ${made}`;
}

/**
 * The last messages. If they may exceed `maxBytes`, their sizes are added up from the last message. PostgreSQL knows the sizes
 * without reading the messages. Nearly every history fits as a whole.
 */
function messagesOf(schema: string, history: number | undefined, maxBytes: number | undefined): string {
  const last = Number.isFinite(history ?? Infinity) ? `LIMIT ${Math.max(0, Math.trunc(history ?? 0))}` : '';
  const from = `FROM ${schema}.message WHERE task_id = t.id ORDER BY number DESC ${last}`;
  const all = `(SELECT json_agg(m.body ORDER BY m.number) FROM (SELECT number, body ${from}) AS m)`;
  if (maxBytes === undefined) return all;
  const within = `(SELECT json_agg(m.body ORDER BY m.number) FROM
    (SELECT number, body, sum(octet_length(body)) OVER (ORDER BY number DESC) AS bytes ${from}) AS m
    WHERE m.bytes <= ${Math.trunc(maxBytes)})`;
  return `CASE WHEN t.history_bytes <= ${Math.trunc(maxBytes)} THEN ${all} ELSE ${within} END`;
}

/** Reads a row of `columnsWith`. */
export function toStored(row: Row, parts: ReadParts): StoredTask {
  const { record, lastMessage } = toFound(row);
  const [messages, snapshot, tail] = row.slice(RECORD_COLUMN_COUNT) as (string | null)[];
  const history = (JSON.parse(messages ?? '[]') as string[]).map((body) => JSON.parse(body) as Message);
  const omitted = Math.min(parts.history ?? Infinity, lastMessage) - history.length;
  const read: Writable<StoredTask> = { record, history };
  if (parts.historyBytes !== undefined && omitted > 0) read.omitted = omitted;
  if (parts.artifacts !== true) return read;
  const later = (JSON.parse(tail ?? '[]') as [number, string][]).map(([number, body]): TaskEvent => ({
    number,
    kind: 'artifact',
    body,
  }));
  read.artifacts = snapshot === null || snapshot === undefined ? { tail: later } : { snapshot, tail: later };
  return read;
}

export async function readTask(
  database: Database,
  { tenant, owner }: Scope,
  taskId: string,
  parts: ReadParts = {},
): Promise<StoredTask | undefined> {
  const { schema } = database;
  // Forces the lookup by id: a plan made for an empty table might iterate over all tasks of an owner.
  const text = `SELECT ${columnsWith(schema, parts)} FROM (SELECT * FROM ${schema}.task WHERE id = $1 OFFSET 0) AS t
    WHERE t.tenant = $2 AND t.owner = $3`;
  const values = [taskId, tenant, owner];
  // Large reads are not batched.
  const isSmall = parts.history === 0 && parts.artifacts !== true;
  const { queryTimeoutMs } = database;
  const [row] = await (isSmall
    ? database.find({ name: 'task', text, values, queryTimeoutMs })
    : database.read(text, values));
  return row && toStored(row, parts);
}

export async function findAlias(
  database: Database,
  { tenant, owner }: Scope,
  alias: string,
): Promise<string | undefined> {
  const text = `SELECT id FROM ${database.schema}.task WHERE alias = $1 AND tenant = $2 AND owner = $3`;
  const [row] = await database.read(text, [alias, tenant, owner]);
  return row && String(row[0]);
}

export async function readEvents(
  database: Database,
  taskId: string,
  after: number,
  limit: number,
): Promise<readonly TaskEvent[]> {
  const rows = await database.find({
    name: 'events',
    text: `SELECT number, kind, body FROM ${database.schema}.event WHERE task_id = $1 AND number > $2 ORDER BY number LIMIT $3`,
    values: [taskId, after, sqlLimit(limit)],
    queryTimeoutMs: database.queryTimeoutMs,
  });
  return rows.map(([number, kind, body]) => ({
    number: Number(number),
    kind: EVENT_KINDS[Number(kind)] ?? 'task',
    body: String(body),
  }));
}

export async function readJournal(database: Database, taskId: string, after = 0): Promise<readonly JournalRecord[]> {
  const rows = await database.find({
    name: 'journal',
    text: `SELECT ${JOURNAL_COLUMNS} FROM ${database.schema}.journal WHERE task_id = $1 AND number > $2 ORDER BY number`,
    values: [taskId, after],
  });
  return (rows as readonly unknown[] as readonly JournalRow[]).map(toJournalRecord);
}

/** A `LIMIT` of PostgreSQL: an integer, where null means no limit. */
export function sqlLimit(limit: number): number | null {
  return Number.isFinite(limit) ? Math.max(0, Math.trunc(limit)) : null;
}
