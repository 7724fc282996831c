import type { Artifact } from '../../model/artifact.ts';
import { ArtifactFold } from '../../model/artifact-fold.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Lineage } from '../../model/lineage.ts';
import type { Message } from '../../model/message.ts';
import type { JournalRecord, Store, StoredTask, TaskEvent, TaskRecord } from '../../store/store.ts';
import { jsonSize } from '../../support/json/json-size.ts';
import type { Writable } from '../../support/writable.ts';
import type { TraceContext } from '../../observe/trace-context.ts';
import type { Creation } from '../write/creation.ts';
import { artifactUpdateOf } from './event-body.ts';
import type { Caller } from '../handler.ts';
import { Journal, type Trigger } from './journal.ts';
import { PublishedOutputs } from '../output/published-outputs.ts';

/** The part of the request that created a task that later runs need. It is stored with the task. */
export interface Origin {
  readonly caller: Caller;
  readonly acceptedOutputModes: readonly string[];
  readonly metadata?: JsonObject;
  readonly extensions?: readonly string[];
  readonly skillId?: string;
  /** The trace context of the request. All runs of the task belong to that trace. */
  readonly trace?: TraceContext;
  /** The maximum working time that the caller specified. */
  readonly timeoutMs?: number;
  /** Set for a task that another agent has created by a call. */
  readonly lineage?: Lineage;
}

/** A task as a run starts with it. */
export interface LoadedTask {
  readonly record: TaskRecord;
  readonly origin: Origin;
  /** The message that created the task. */
  readonly firstMessage: Message;
  /** The message of this turn. */
  readonly trigger: Trigger;
  readonly history: readonly Message[];
  readonly journal: Journal;
  /** Set for a task that was just created. */
  readonly creation?: Creation;
  /** The output that was published in this turn. */
  readonly published: PublishedOutputs;
  readonly fold: ArtifactFold;
  /** The size of the artifact events. */
  readonly artifactBytes: number;
  /** The size of all output. */
  readonly outputBytes: number;
  /** The size of the task in memory when the run starts: messages, events and journal entries. */
  readonly loadedBytes: number;
}

export function originOf({ origin }: TaskRecord): Origin {
  return origin as unknown as Origin;
}

/** A task that was just created on this node, so that nothing has to be read. */
export function newlyMade(record: TaskRecord, message: Message, creation: Creation): LoadedTask {
  const origin = originOf(record);
  const fold = new ArtifactFold();
  return {
    record,
    origin,
    firstMessage: message,
    trigger: firstTrigger(origin, message),
    history: [message],
    creation,
    journal: new Journal(),
    published: new PublishedOutputs(fold),
    fold,
    artifactBytes: 0,
    outputBytes: 0,
    loadedBytes: record.historyBytes ?? 0,
  };
}

function firstTrigger({ metadata, extensions }: Origin, message: Message): Trigger {
  const trigger: Writable<Trigger> = { message };
  if (metadata !== undefined) trigger.metadata = metadata;
  if (extensions !== undefined) trigger.extensions = extensions;
  return trigger;
}

const PAGE = 1000;

/** Loads a task that has run before. Returns `undefined` if the lease it was claimed with is lost. */
export async function loadTask(store: Store, claimed: TaskRecord): Promise<LoadedTask | undefined> {
  const parts = await loadParts(store, claimed);
  return parts && taskOf(parts);
}

/**
 * Loads an ended task as it was when it ran for the last time, from what is left of it, to run its handler again without effects.
 *
 * @param entries The first entries of its journal, with their values.
 */
export async function loadEndedTask(
  store: Store,
  ended: TaskRecord,
  entries: readonly JournalRecord[],
): Promise<LoadedTask | undefined> {
  const stored = await store.read(ended, ended.id);
  if (stored === undefined) return undefined;
  const { endedAt: _, ...record } = stored.record;
  const status = { ...record.status, state: 'TASK_STATE_WORKING' } as const;
  // The events may be gone already. Only the outputs would be compared with them.
  const lastJournal = entries.at(-1)?.number ?? 0;
  const before = { ...record, status, canceling: false, lastJournal };
  return taskOf({ stored: { ...stored, record: before }, entries, events: [] });
}

function taskOf({ stored, entries, events }: TaskParts): LoadedTask | undefined {
  const { record } = stored;
  const [firstMessage] = stored.history;
  if (firstMessage === undefined) return undefined;
  const journal = new Journal(entries);
  const start = journal.trigger?.after ?? 0;
  const { fold, before, artifactBytes, outputBytes } = foldEvents(events, start);
  const origin = originOf(record);
  return {
    record,
    origin,
    firstMessage,
    trigger: journal.trigger ?? firstTrigger(origin, firstMessage),
    history: stored.history,
    journal,
    published: PublishedOutputs.fromLog(fold, before, events.slice(start), journal, record),
    fold,
    artifactBytes,
    outputBytes,
    loadedBytes: (record.historyBytes ?? 0) + bytesOf(events, entries),
  };
}

function bytesOf(events: readonly TaskEvent[], entries: readonly JournalRecord[]): number {
  let bytes = 0;
  for (const { body } of events) bytes += body.length;
  for (const { body } of entries) bytes += jsonSize(body);
  return bytes;
}

interface TaskParts {
  readonly stored: StoredTask;
  readonly entries: readonly JournalRecord[];
  readonly events: readonly TaskEvent[];
}

/**
 * Loads the parts of a task as of one moment. They are read one by one, and other nodes may write in between; the record,
 * which is read last, shows whether one has.
 */
async function loadParts(store: Store, claimed: TaskRecord): Promise<TaskParts | undefined> {
  let { lastEvent } = claimed;
  for (;;) {
    const [entries, events] = await Promise.all([
      store.journal(claimed.id),
      allEvents(store, { id: claimed.id, lastEvent }),
    ]);
    const stored = await store.read(claimed, claimed.id);
    // An ended task may have no journal and would run as if it were new.
    if (stored === undefined || stored.record.fence !== claimed.fence || stored.record.endedAt !== undefined) return;
    const { lastJournal } = stored.record;
    if ((entries.at(-1)?.number ?? 0) === lastJournal && events.length === stored.record.lastEvent)
      return { stored, entries, events };
    ({ lastEvent } = stored.record);
  }
}

async function allEvents(
  store: Store,
  { id, lastEvent }: Pick<TaskRecord, 'id' | 'lastEvent'>,
): Promise<readonly TaskEvent[]> {
  const events: TaskEvent[] = [];
  while (events.length < lastEvent) {
    const page = await store.events(id, events.length, PAGE);
    if (page.length === 0) break;
    for (const event of page) events.push(event);
  }
  return events;
}

interface FoldedEvents {
  readonly fold: ArtifactFold;
  /** The artifacts at the start of the turn. */
  readonly before: readonly Artifact[];
  readonly artifactBytes: number;
  readonly outputBytes: number;
}

function foldEvents(events: readonly TaskEvent[], start: number): FoldedEvents {
  const fold = new ArtifactFold();
  let before: readonly Artifact[] = [];
  let artifactBytes = 0;
  let outputBytes = 0;
  for (const [i, event] of events.entries()) {
    if (i === start) before = fold.artifacts();
    if (event.kind !== 'task') outputBytes += event.body.length;
    if (event.kind !== 'artifact') continue;
    fold.apply(artifactUpdateOf(event));
    artifactBytes += event.body.length;
  }
  return { fold, before: start >= events.length ? fold.artifacts() : before, artifactBytes, outputBytes };
}
