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
}

/** So many events are copied rather than pushed to. */
const FEW = 4;

/** Shared by all tasks without a journal, which most are. Never changed. */
export const NONE: JournalRecord[] = [];

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
  };
}

export function addNumbered(row: Row, { lastEvent, lastJournal }: TaskRecord, { events, journal }: TaskWrite): void {
  if (events !== undefined && events.length > 0) {
    let number = lastEvent;
    const added = events.map((event) => numbered(event, (number += 1)));
    // A list that is pushed to gets room for 16 more, and most tasks have three events.
    if (row.events.length < FEW) row.events = row.events.concat(added);
    else for (const event of added) row.events.push(event);
  }
  if (journal === undefined || journal.length === 0) return;
  if (row.journal === NONE) row.journal = [];
  let number = lastJournal;
  for (const { kind, key, body } of journal) row.journal.push({ kind, key, body, number: (number += 1) });
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
}

export function endTime({ endedAt = 0 }: TaskRecord): number {
  return endedAt;
}
