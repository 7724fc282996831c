import type { JsonObject, JsonValue } from '../model/json.ts';
import type { Writable } from '../support/writable.ts';
import type { JournalRecord } from './store.ts';

/** The columns of `JournalRow` in the tables of both databases. */
export const JOURNAL_COLUMNS = 'number, kind, key, body, outline, sensitive';

/** A journal entry as both databases return it. All texts are JSON. */
export type JournalRow = readonly [
  number: number,
  kind: string,
  key: string,
  body: string,
  outline: string | null,
  sensitive: number | boolean,
];

export function toJournalRecord([number, kind, key, body, outline, sensitive]: JournalRow): JournalRecord {
  const record: Writable<JournalRecord> = {
    number,
    kind: JSON.parse(kind) as string,
    key: JSON.parse(key) as string,
    body: JSON.parse(body) as JsonValue,
  };
  if (outline !== null) record.outline = JSON.parse(outline) as JsonObject;
  if (sensitive === true || sensitive === 1) record.sensitive = true;
  return record;
}
