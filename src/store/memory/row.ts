import type { Message } from '../../model/message.ts';
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

export function stored({ record, history, artifacts, events }: Row, parts: ReadParts): StoredTask {
  const last = parts.history ?? history.length;
  const shown = last === 0 ? [] : history.slice(-last);
  if (parts.artifacts !== true) return { record, history: shown };
  const tail = events.slice(artifacts?.upTo ?? 0).filter(({ kind }) => kind === 'artifact');
  const made = artifacts === undefined ? { tail } : { snapshot: artifacts.snapshot, tail };
  return { record, history: shown, artifacts: made };
}

/** Whoever ends a task writes a snapshot, so its events are only needed to replay the stream. */
export function dropEvents(row: Row): void {
  row.events = [];
}

export function endTime({ endedAt = 0 }: TaskRecord): number {
  return endedAt;
}
