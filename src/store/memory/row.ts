import type { Message } from '../../model/message.ts';
import { jsonSize } from '../../support/json-size.ts';
import type { Writable } from '../../support/writable.ts';
import { newRecord } from '../guard.ts';
import type {
  JournalRecord,
  NewEvent,
  NewTask,
  ReadParts,
  StoredTask,
  TaskEvent,
  TaskRecord,
  TaskWrite,
} from '../store.ts';
import type { PushConfigs } from './push-configs.ts';
import type { RequestKey } from './request-keys.ts';

/** A task with all that belongs to it. */
export interface Row {
  record: TaskRecord;
  /** Counts the tasks. */
  readonly order: number;
  readonly history: Message[];
  events: TaskEvent[];
  journal: JournalRecord[];
  artifacts: { readonly snapshot: string; readonly upTo: number } | undefined;
  readonly alias: string | undefined;
  /** That of the last request that made or changed the task, which knows those before it: most tasks have one. */
  lastKey: RequestKey | undefined;
  pushConfigs: PushConfigs | undefined;
  endedPlace: number | undefined;
  /** Belongs to the index of wake-ups. */
  isQueued: boolean;
  /** About how many bytes its parts take: see `bytesOf`. */
  originBytes: number;
  eventBytes: number;
  journalBytes: number;
  statusBytes: number;
}

/** What a task, an event and an entry of the journal take in memory beside what they say: measured. */
const TASK_BYTES = 2048;
const EVENT_BYTES = 128;
const ENTRY_BYTES = 192;

/** About how many bytes a task takes with all that belongs to it. */
export function bytesOf(row: Row): number {
  const { record, artifacts, pushConfigs, originBytes, eventBytes, journalBytes, statusBytes } = row;
  const said = (record.historyBytes ?? 0) + (artifacts?.snapshot.length ?? 0) + statusBytes;
  return TASK_BYTES + originBytes + said + eventBytes + journalBytes + (pushConfigs?.bytes ?? 0);
}

/** So many events are copied rather than pushed to. */
const FEW = 4;

/** Shared by all tasks without a journal, which most are. Never changed. */
const NONE: JournalRecord[] = [];

export function newRow(task: NewTask, order: number): Row {
  const { message, event, alias } = task;
  const events = event === undefined ? [] : [numbered(event, 1)];
  return {
    record: newRecord(task),
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
    // Most of an origin is the caller, and all tasks of a caller share it.
    originBytes: task.origin['metadata'] === undefined ? 0 : jsonSize(task.origin['metadata']),
    eventBytes: event === undefined ? 0 : event.body.length + EVENT_BYTES,
    journalBytes: 0,
    statusBytes: 0,
  };
}

export function addNumbered(row: Row, { lastEvent, lastJournal }: TaskRecord, { events, journal }: TaskWrite): void {
  if (events !== undefined && events.length > 0) {
    let number = lastEvent;
    const added = events.map((event) => {
      row.eventBytes += event.body.length + EVENT_BYTES;
      return numbered(event, (number += 1));
    });
    // A list that is pushed to gets room for 16 more, and most tasks have three events.
    if (row.events.length < FEW) row.events = row.events.concat(added);
    else for (const event of added) row.events.push(event);
  }
  if (journal === undefined || journal.length === 0) return;
  if (row.journal === NONE) row.journal = [];
  let number = lastJournal;
  for (const { kind, key, body } of journal) {
    row.journalBytes += jsonSize(body) + ENTRY_BYTES;
    row.journal.push({ kind, key, body, number: (number += 1) });
  }
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

/** Most histories are known to be small enough as a whole. */
function isWithin({ historyBytes = Infinity }: TaskRecord, parts: ReadParts): boolean {
  return parts.historyBytes === undefined || historyBytes <= parts.historyBytes;
}

/** The place of the first message of the last ones that have so many bytes together. */
function firstWithin(history: readonly Message[], first: number, maxBytes: number): number {
  let bytes = 0;
  let start = history.length;
  while (start > first && (bytes += jsonSize(history[start - 1])) <= maxBytes) start -= 1;
  return start;
}

/** Whoever ends a task writes a snapshot, so its events are only needed to replay the stream. */
export function dropEvents(row: Row): void {
  row.events = [];
  row.eventBytes = 0;
}

/** A task that has ended never runs again, so its journal is not needed. */
export function dropJournal(row: Row): void {
  row.journal = NONE;
  row.journalBytes = 0;
}

export function endTime({ endedAt = 0 }: TaskRecord): number {
  return endedAt;
}
