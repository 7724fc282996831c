import type { Message } from '../../model/message.ts';
import type { TaskRecord } from '../store.ts';
import { type Connection, sqlLimit } from './database/connection.ts';
import type { FoundTask } from './task-row.ts';

/**
 * The messages of tasks. The first message is in the row of its task if it is short, the others have a row each. When a task ends,
 * they are packed into one row, because from then on they are only read. Only the texts are packed, so reading the last messages
 * does not parse the others.
 */

const ADD = 'INSERT INTO message (task_pk, number, body) VALUES (?, ?, ?)';
const ADD_PACKED = 'INSERT INTO message (task_pk, number, body, lengths) VALUES (?, ?, ?, ?)';
const DROP = 'DELETE FROM message WHERE task_pk = ?';
const COLUMNS = 'body, lengths';

/** Few rows are read about as fast as one. */
const FEW_ROWS = 8;

/** Longer histories are not packed, because that rewrites them in the transaction that ends the task. */
const MAX_PACKED_BYTES = 2 ** 18;

type MessageRow = readonly [body: string, lengths: string | null];

/** Stores messages with the numbers after `last`, serialized. */
export function insertMessages(connection: Connection, pk: number, last: number, messages: readonly string[]): void {
  let number = last;
  for (const message of messages) connection.run(ADD, pk, ++number, message);
}

/** Packs the messages of a task that has ended. */
export function packMessages(connection: Connection, pk: number, last: number, { historyBytes }: TaskRecord): void {
  if (last <= FEW_ROWS || historyBytes === undefined || historyBytes > MAX_PACKED_BYTES) return;
  const texts = readRows(connection, pk, last).flatMap(textsOf);
  connection.run(DROP, pk);
  const lengths = texts.map(({ length }) => length).join(' ');
  connection.run(ADD_PACKED, pk, last, texts.join(','), lengths);
}

/** Reads the last messages of a task, as many as fit into `maxBytes`. */
export function readHistory(connection: Connection, task: FoundTask, last: number, maxBytes = Infinity): Message[] {
  return readTexts(connection, task, last, maxBytes).map((text) => JSON.parse(text) as Message);
}

/** Reads the last messages of a task as one text, separated by commas. The text of a packed row is not taken apart. */
export function readHistoryText(
  connection: Connection,
  pk: number,
  { lastMessage, last, inRow }: { readonly lastMessage: number; readonly last: number; readonly inRow: string | null },
): string {
  if (last === 0) return '';
  if (inRow !== null && lastMessage === 1) return inRow;
  const rows = readRows(connection, pk, last);
  if (last < lastMessage) {
    const texts = rows.flatMap(textsOf);
    return (texts.length < last && inRow !== null ? [inRow, ...texts] : texts.slice(-last)).join(',');
  }
  const later = rows.length === 1 ? (rows[0]?.[0] ?? '') : rows.map(([body]) => body).join(',');
  return inRow === null ? later : `${inRow},${later}`;
}

function readTexts(connection: Connection, task: FoundTask, last: number, maxBytes: number): readonly string[] {
  if (last === 0) return [];
  const { pk, lastMessage, message: inRow = null, record } = task;
  // Nearly every history fits as a whole.
  if (maxBytes < (record.historyBytes ?? Infinity)) return readWithin(connection, task, last, maxBytes);
  if (inRow !== null && lastMessage === 1) return [inRow];
  const texts = readRows(connection, pk, last).flatMap(textsOf);
  if (inRow !== null && texts.length < last) texts.unshift(inRow);
  return texts.length > last ? texts.slice(-last) : texts;
}

/** The rows with the last messages, the oldest first. They may contain more messages. */
function readRows(connection: Connection, pk: number, last: number): MessageRow[] {
  const sql = `SELECT ${COLUMNS} FROM message WHERE task_pk = ? ORDER BY number DESC LIMIT ?`;
  return (connection.all(sql, pk, sqlLimit(last)) as MessageRow[]).toReversed();
}

/** Reads row by row from the last message, up to `maxBytes`. Omitted rows are not loaded. */
function readWithin(connection: Connection, task: FoundTask, last: number, maxBytes: number): readonly string[] {
  const { pk, lastMessage, message: inRow = null } = task;
  const texts: string[] = [];
  let bytes = 0;
  for (let number = lastMessage; number > lastMessage - last;) {
    const row = number === 1 && inRow !== null ? [inRow] : rowUpTo(connection, pk, number);
    for (const text of row.toReversed()) {
      bytes += text.length;
      if (bytes > maxBytes || texts.length === last) return texts.toReversed();
      texts.push(text);
    }
    number -= row.length;
  }
  return texts.toReversed();
}

/** The messages of the row that ends with this number. */
function rowUpTo(connection: Connection, pk: number, number: number): readonly string[] {
  const sql = `SELECT ${COLUMNS} FROM message WHERE task_pk = ? AND number = ?`;
  const row = connection.get(sql, pk, number) as MessageRow | undefined;
  return row === undefined ? ['null'] : textsOf(row);
}

function textsOf([body, lengths]: MessageRow): readonly string[] {
  if (lengths === null) return [body];
  let start = 0;
  return lengths.split(' ').map((length) => {
    const end = start + Number(length);
    const text = body.slice(start, end);
    start = end + 1;
    return text;
  });
}
