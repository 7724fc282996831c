import type { Writable } from '../../support/writable.ts';
import type { PagePosition, ReadParts, Scope, StoredTask, TaskTexts } from '../store.ts';
import type { Connection } from './database/connection.ts';
import type { Row } from './database/driver.ts';
import { needsParts, type PageRows } from './list.ts';
import { readHistoryText } from './task-history.ts';
import { readArtifacts, readParts } from './task-log.ts';
import { findTask, LAST_EVENT } from './task-row.ts';

/** Tasks as the JSON texts of their rows, which are not parsed. */

/** The columns that a response needs. Those from `pk` are absent if it has neither history nor artifacts. */
export type TextRow = readonly [
  id: string,
  contextId: string,
  agent: string,
  visible: number,
  statusTime: number,
  status: string | 0,
  metadata: string | 0 | null,
  pk: number,
  lastMessage: number,
  historyBytes: number | null,
  lastEvent: number,
  message: string | null,
  artifacts: string | null,
];

const SHORT = 'id, context_id, agent, visible, status_time';
const TEXTS = ', status, metadata';
const BOUNDED_TEXTS = ', iif(octet_length(status) > ?, 0, status), iif(octet_length(metadata) > ?, 0, metadata)';
const PARTS = `, pk, last_message, history_bytes, ${LAST_EVENT}, message, artifacts`;

const FIND = `SELECT ${SHORT}${TEXTS}${PARTS} FROM task WHERE id = ? AND tenant = ? AND owner = ?`;

const ONLY_STATUS = rowsOf('');
const WITH_PARTS = rowsOf(PARTS);

/** Rows for a page of texts. */
export function textRows(parts: ReadParts): PageRows<TextRow> {
  return needsParts(parts) ? WITH_PARTS : ONLY_STATUS;
}

function rowsOf(parts: string): PageRows<TextRow> {
  const isWhole = (row: Row): boolean => row[5] !== 0 && row[6] !== 0;
  return {
    columns: `${SHORT}${TEXTS}${parts}`,
    bounded: { columns: `${SHORT}${BOUNDED_TEXTS}${parts}`, isWhole },
    read: (row) => row as unknown as TextRow,
    positionOf: ([id, , , , statusTime]): PagePosition => ({ statusTime, id }),
  };
}

export function readTaskTexts(
  connection: Connection,
  { tenant, owner }: Scope,
  taskId: string,
  parts: ReadParts,
): TaskTexts | StoredTask | undefined {
  const row = connection.get(FIND, taskId, tenant, owner) as TextRow | undefined;
  // SQLite compares an id only up to its first NUL.
  return row?.[0] === taskId ? textsOf(connection, row, parts) : undefined;
}

/** The texts of a task, or the task itself if not all of its requested parts are stored as texts. */
export function textsOf(connection: Connection, row: TextRow, parts: ReadParts): TaskTexts | StoredTask {
  const [id, contextId, agent, visible, statusTime, status, metadata] = row;
  const texts: Writable<TaskTexts> = {
    id,
    contextId,
    agent,
    visible: visible === 1,
    statusTime,
    status: status as string,
    history: '',
  };
  if (metadata !== null) texts.metadata = metadata as string;
  return needsParts(parts) ? withParts(connection, texts, row, parts) : texts;
}

function withParts(
  connection: Connection,
  texts: Writable<TaskTexts>,
  [id, , , , , , , pk, lastMessage, historyBytes, lastEvent, message, inRow]: TextRow,
  parts: ReadParts,
): TaskTexts | StoredTask {
  const last = Math.min(parts.history ?? Infinity, lastMessage);
  if (last > 0 && (historyBytes ?? Infinity) > (parts.historyBytes ?? Infinity))
    return storedTask(connection, id, parts);
  if (parts.artifacts === true) {
    const { snapshot, tail } = readArtifacts(connection, pk, lastEvent, inRow);
    if (tail.length > 0) return storedTask(connection, id, parts);
    if (snapshot !== undefined) texts.artifacts = snapshot;
  }
  texts.history = readHistoryText(connection, pk, { lastMessage, last, inRow: message });
  return texts;
}

function storedTask(connection: Connection, id: string, parts: ReadParts): StoredTask {
  const found = findTask(connection, id);
  if (found === undefined) throw new Error(`Task ${id} was removed while it was read`);
  return readParts(connection, found, parts);
}
