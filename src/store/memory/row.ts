import type { Message } from '../../model/message.ts';
import { jsonSize } from '../../support/json/json-size.ts';
import type { Writable } from '../../support/writable.ts';
import type {
  JournalEntry,
  JournalRecord,
  KeptJournal,
  NewEvent,
  NewTask,
  ReadParts,
  StoredTask,
  TaskEvent,
  TaskRecord,
} from '../store.ts';
import type { PushConfigs } from './push-configs.ts';
import type { RequestKey } from './request-keys.ts';

/** A task with all its data. */
export interface Row {
  record: TaskRecord;
  /** The position among all created tasks. */
  readonly order: number;
  readonly history: Message[];
  events: TaskEvent[];
  journal: JournalRecord[];
  artifacts: { readonly snapshot: string; readonly upTo: number } | undefined;
  readonly alias: string | undefined;
  /** The key of the last request that created or changed the task, linked to the earlier keys. Most tasks have one. */
  lastKey: RequestKey | undefined;
  pushConfigs: PushConfigs | undefined;
  endedPlace: number | undefined;
  /** Set only by `WakeIndex`. */
  isQueued: boolean;
  /** The approximate sizes of the parts; see `bytesOf`. */
  originBytes: number;
  eventBytes: number;
  journalBytes: number;
  statusBytes: number;
  callBytes: number;
  /** The size that the store has counted for the row. */
  countedBytes: number;
}

/** The measured memory of a task, an event and a journal entry besides their content. */
const TASK_BYTES = 2048;
const EVENT_BYTES = 128;
const ENTRY_BYTES = 192;

/** The approximate size of a task with all its data. */
export function bytesOf(row: Row): number {
  const { record, artifacts, pushConfigs, originBytes, eventBytes, journalBytes, statusBytes, callBytes } = row;
  const said = (record.historyBytes ?? 0) + (artifacts?.snapshot.length ?? 0) + statusBytes;
  return TASK_BYTES + originBytes + said + eventBytes + journalBytes + callBytes + (pushConfigs?.bytes ?? 0);
}

/** Shorter lists of events are copied instead of extended. */
const FEW = 4;

/** Shared by all tasks without a journal, which are the majority. Never changed. */
const NONE: JournalRecord[] = [];

export function newRow(task: NewTask, record: TaskRecord, order: number): Row {
  const { message, event, alias } = task;
  const events = event === undefined ? [] : [numbered(event, 1)];
  return {
    record,
    order,
    history: [message],
    events,
    journal: NONE,
    artifacts: undefined,
    alias,
    lastKey: undefined,
    pushConfigs: undefined,
    endedPlace: undefined,
    isQueued: false,
    // The largest part of an origin is the caller, which all tasks of a caller share.
    originBytes: task.origin['metadata'] === undefined ? 0 : jsonSize(task.origin['metadata']),
    eventBytes: event === undefined ? 0 : event.body.length + EVENT_BYTES,
    journalBytes: 0,
    statusBytes: 0,
    callBytes: 0,
    countedBytes: 0,
  };
}

export function addEvents(row: Row, events: readonly NewEvent[]): void {
  if (events.length === 0) return;
  let number = row.record.lastEvent;
  const added = events.map((event) => {
    row.eventBytes += event.body.length + EVENT_BYTES;
    return numbered(event, (number += 1));
  });
  // `push` allocates room for 16 more items, and most tasks have three events.
  if (row.events.length < FEW) row.events = row.events.concat(added);
  else for (const event of added) row.events.push(event);
}

export function addJournal(row: Row, entries: readonly JournalEntry[]): void {
  if (entries.length === 0) return;
  if (row.journal === NONE) row.journal = [];
  let number = row.record.lastJournal;
  for (const entry of entries) {
    row.journalBytes += sizeOf(entry);
    row.journal.push(recorded(entry, (number += 1)));
  }
}

function recorded({ kind, key, body, outline, sensitive }: JournalEntry, number: number): JournalRecord {
  const record: Writable<JournalRecord> = { kind, key, body, number };
  if (outline !== undefined) record.outline = outline;
  if (sensitive !== undefined) record.sensitive = sensitive;
  return record;
}

function sizeOf({ body, outline }: JournalEntry): number {
  return jsonSize(body) + (outline === undefined ? 0 : jsonSize(outline)) + ENTRY_BYTES;
}

function numbered({ kind, body }: NewEvent, number: number): TaskEvent {
  return { number, kind, body };
}

export function stored(row: Row, parts: ReadParts): StoredTask {
  const { record, history } = row;
  const last = Math.min(parts.history ?? history.length, history.length);
  const first = history.length - last;
  const shown = isWithin(record, parts) ? first : firstWithin(history, first, parts.historyBytes ?? Infinity);
  const read: Writable<StoredTask> = { record, history: history.slice(shown) };
  if (shown > first) read.omitted = shown - first;
  if (parts.artifacts === true) read.artifacts = storedArtifacts(row);
  return read;
}

function storedArtifacts({ artifacts, events }: Row): NonNullable<StoredTask['artifacts']> {
  const tail = events.slice(artifacts?.upTo ?? 0).filter(({ kind }) => kind === 'artifact');
  return artifacts === undefined ? { tail } : { snapshot: artifacts.snapshot, tail };
}

/** Whether the whole history fits, as most do. */
function isWithin({ historyBytes = Infinity }: TaskRecord, parts: ReadParts): boolean {
  return parts.historyBytes === undefined || historyBytes <= parts.historyBytes;
}

/** The index of the first of the latest messages that fit into `maxBytes` together. */
function firstWithin(history: readonly Message[], first: number, maxBytes: number): number {
  let bytes = 0;
  let start = history.length;
  while (start > first && (bytes += jsonSize(history[start - 1])) <= maxBytes) start -= 1;
  return start;
}

export function dropEvents(row: Row): void {
  row.events = [];
  row.eventBytes = 0;
}

export function dropJournal(row: Row): void {
  row.journal = NONE;
  row.journalBytes = 0;
}

export function reduceJournal(row: Row, kept: KeptJournal): void {
  row.journal = row.journal.map((record) =>
    kept === 'outline' || record.sensitive ? { ...record, body: null } : record,
  );
  row.journalBytes = row.journal.reduce((sum, record) => sum + sizeOf(record), 0);
}

export function endTime({ endedAt = 0 }: TaskRecord): number {
  return endedAt;
}
