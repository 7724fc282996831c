import type { TaskStatusUpdateEvent } from '../../model/event.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Message } from '../../model/message.ts';
import type { TaskStatus } from '../../model/task.ts';
import type { Guard, JournalEntry, Lease, NewCall, NewEvent, TaskRecord, TaskWrite } from '../../store/store.ts';
import { type Deferred, deferred } from '../../support/deferred.ts';
import type { Writable } from '../../support/writable.ts';
import { withoutList } from '../questions/open-questions.ts';
import { asLastChunk, statusEvent } from '../replay/event-body.ts';

/** A pause or an end of a task. If the task is being canceled, only `canceled` is possible. */
export interface Decision extends Pick<
  TaskWrite,
  'release' | 'wakeAt' | 'question' | 'endedAt' | 'journal' | 'callsDue'
> {
  readonly status?: TaskStatus;
  readonly metadata?: JsonObject;
  /** Applies only while this question is open. */
  readonly ifOpen?: string;
  /**
   * Applies only if the run knows the whole journal, and nothing has arrived from outside since it decided: `Journal.arrivals`
   * at that time.
   */
  readonly asOf?: number;
  /** Called when it is stored, before anyone is notified: when callers learn of a pause, the slot of the run is free. */
  readonly onStored?: () => void;
}

/** The maximum number of outputs that wait for the store. A handler that publishes more has to wait. */
const MAX_WAITING = 256;
const MAX_WAITING_BYTES = 2 ** 20;

/** The content of one write. */
export class Batch {
  readonly events: NewEvent[] = [];
  readonly journal: JournalEntry[] = [];
  /** Calls to add, which come with their journal entries. Most tasks make none. */
  calls: NewCall[] | undefined;
  /** Whether the open calls of the task have to be looked at. */
  callsDue = false;
  /**
   * The latest chunk without `lastChunk`, and its artifact. Kept in fields, because a stream usually appends to one
   * artifact.
   */
  #openId: string | undefined;
  #openChunk: NewEvent | undefined;
  /** The same for the other artifacts of this batch. */
  #otherOpen: Map<string, NewEvent> | undefined;
  /** All but the last belong to the history once the batch is stored. */
  readonly #statuses: TaskStatus[] = [];
  decision: Decision | undefined;
  bytes = 0;
  /** The number of its first journal entry, once it is stored. */
  firstJournal = 0;
  /** The size of the artifact events that its snapshot replaces. */
  snapshotOf = 0;
  /** Settles when the batch is stored. Created on first use, because usually nobody waits. */
  #unstored: Deferred<Batch> | undefined;
  /** Settles when it is known whether the decision was stored. */
  undecided: Deferred<boolean> | undefined;

  /** Resolves with the batch that was stored, which may be a later one. */
  get done(): Deferred<Batch> {
    return (this.#unstored ??= deferred<Batch>());
  }

  get verdict(): Deferred<boolean> {
    return (this.undecided ??= deferred<boolean>());
  }

  get isAwaited(): boolean {
    return this.#unstored !== undefined || this.undecided !== undefined;
  }

  succeed(): void {
    this.#unstored?.resolve(this);
    this.undecided?.resolve(true);
  }

  fail(error: unknown): void {
    this.#unstored?.reject(error);
    this.undecided?.reject(error);
  }

  /** Whether a handler may publish more without waiting. */
  get hasRoom(): boolean {
    return this.events.length + this.journal.length < MAX_WAITING && this.bytes < MAX_WAITING_BYTES;
  }

  /** Whether it asks a question. */
  get asks(): boolean {
    return typeof this.decision?.question === 'string';
  }

  get isEmpty(): boolean {
    return this.events.length === 0 && this.journal.length === 0 && this.decision === undefined;
  }

  /** Remembers the latest chunk of an artifact, so that `closeArtifacts` can mark it. */
  setLatestChunk(artifactId: string, event: NewEvent, isLast: boolean): void {
    if (artifactId !== this.#openId) {
      if (this.#openId !== undefined && this.#openChunk !== undefined)
        (this.#otherOpen ??= new Map()).set(this.#openId, this.#openChunk);
      this.#otherOpen?.delete(artifactId);
      this.#openId = artifactId;
    }
    this.#openChunk = isLast ? undefined : event;
  }

  /** Whether this batch has a chunk of the artifact and its latest one is not marked as the last. */
  hasOpenArtifact(artifactId: string): boolean {
    if (artifactId === this.#openId) return this.#openChunk !== undefined;
    return this.#otherOpen?.has(artifactId) === true;
  }

  /** Marks the latest chunk of each artifact in this batch as the last. */
  closeArtifacts(): void {
    for (const event of this.#otherOpen?.values() ?? []) this.#close(event);
    if (this.#openChunk !== undefined) this.#close(this.#openChunk);
    this.#otherOpen = undefined;
    this.#openChunk = undefined;
  }

  #close(event: NewEvent): void {
    this.events[this.events.lastIndexOf(event)] = asLastChunk(event);
  }

  get status(): TaskStatus | undefined {
    return this.#statuses.at(-1);
  }

  setStatus(status: TaskStatus): void {
    this.#statuses.push(status);
  }

  /** The messages that become history when this batch is stored after another status. */
  pastMessages(last: TaskStatus): readonly Message[] {
    const past: Message[] = [];
    let current = last.message;
    for (const { message } of this.#statuses) current = replaced(current, message, past);
    if (this.decision?.status !== undefined) replaced(current, this.decision.status.message, past);
    return past;
  }

  /**
   * Raises timestamps to the last stored one, because tasks are listed by the time of their status, and it must not go
   * back.
   */
  stampFrom(timestamp: string): void {
    if (!this.#statuses.some((status) => isBefore(status, timestamp))) return;
    for (const [i, status] of this.#statuses.entries())
      if (isBefore(status, timestamp)) this.#statuses[i] = { ...status, timestamp };
    for (const [i, event] of this.events.entries())
      if (event.kind === 'status') this.events[i] = stamped(event, timestamp);
  }

  decide(decision: Decision): void {
    // An ended run waits for nothing. Changes of the open questions come one by one, so after one of them, the turn has ended. An
    // earlier decision that is not stored is obsolete.
    const isObsolete = decision.endedAt !== undefined || this.decision?.asOf !== undefined;
    const before = isObsolete ? undefined : this.decision;
    if (before === undefined) {
      this.decision = decision;
      return;
    }
    this.decision = mergedDecision(before, decision);
  }

  /** Takes the decision out of the batch, because it is outdated. */
  dropDecision(): void {
    this.decision = undefined;
    this.undecided?.resolve(false);
    this.undecided = undefined;
    if (!this.isEmpty) return;
    this.#unstored?.resolve(this);
    this.#unstored = undefined;
  }

  /** @param record The task as far as the run knows. @param seen The last journal entry that it knows. */
  guard(lease: Lease, { question: open, lastEvent }: TaskRecord, seen: number): Guard {
    const { status, ifOpen, asOf } = this.decision ?? {};
    // A new status while a question is open requires that the question is still open, because its answer also sets a
    // status.
    const replaces = status !== undefined || this.status !== undefined;
    const condition = ifOpen ?? (replaces ? open : undefined);
    const guard: Writable<Guard> = { lease };
    if (asOf !== undefined) guard.lastJournal = seen;
    if (condition !== undefined) guard.question = condition;
    // The same question has another status when the list of open questions has changed.
    if (replaces && open !== undefined) guard.lastEvent = lastEvent;
    const mayBeCanceled = this.decision === undefined || status?.state === 'TASK_STATE_CANCELED';
    if (!mayBeCanceled) guard.canceling = false;
    return guard;
  }

  /** Whether it adds to the journal. */
  get notes(): boolean {
    return this.journal.length > 0 || (this.decision?.journal?.length ?? 0) > 0;
  }

  /** The number of a stored entry of its decision. */
  numberOf(entry: JournalEntry): number {
    return this.firstJournal + this.journal.length + (this.decision?.journal?.indexOf(entry) ?? 0);
  }

  /** Prepends the log of another batch. Waiters for that log keep waiting. */
  takeOver(other: Batch): void {
    this.events.unshift(...other.events);
    this.journal.unshift(...other.journal);
    if (other.calls !== undefined) this.calls = [...other.calls, ...(this.calls ?? [])];
    if (other.callsDue) this.callsDue = true;
    this.#statuses.unshift(...other.#statuses);
    this.bytes += other.bytes;
    const waiting = other.#unstored;
    if (waiting === undefined) return;
    if (other.events.length === 0 && other.journal.length === 0) waiting.resolve(this);
    else this.done.promise.then(waiting.resolve, waiting.reject);
  }
}

/** Two decisions as one, with the journal entries of both. */
function mergedDecision(before: Decision, after: Decision): Decision {
  const journal = [...(before.journal ?? []), ...(after.journal ?? [])];
  return { ...before, ...after, journal };
}

/** Adds a decision to a write. It is kept apart from the log of the batch, which remains if the decision is not stored. */
export function addDecision(
  write: Writable<TaskWrite>,
  { status: decided, metadata, journal, release, wakeAt, question, endedAt, callsDue }: Decision,
  record: TaskRecord,
): void {
  if (release !== undefined) write.release = release;
  if (wakeAt !== undefined) write.wakeAt = wakeAt;
  if (question !== undefined) write.question = question;
  if (endedAt !== undefined) write.endedAt = endedAt;
  if (callsDue !== undefined) write.callsDue = callsDue;
  if (journal !== undefined) write.journal = [...(write.journal ?? []), ...journal];
  if (decided === undefined) return;
  const { timestamp: last = '' } = write.status ?? record.status;
  // A status from outside may have been stored in between, and the timestamp must not go back.
  const status = (decided.timestamp ?? '') < last ? { ...decided, timestamp: last } : decided;
  write.status = status;
  write.events = [...(write.events ?? []), statusEvent(record, status, metadata)];
}

function isBefore(status: TaskStatus, timestamp: string): boolean {
  return (status.timestamp ?? '') < timestamp;
}

function stamped(event: NewEvent, timestamp: string): NewEvent {
  const { statusUpdate } = JSON.parse(event.body) as { statusUpdate: TaskStatusUpdateEvent };
  const { status } = statusUpdate;
  if (!isBefore(status, timestamp)) return event;
  return {
    kind: 'status',
    body: JSON.stringify({ statusUpdate: { ...statusUpdate, status: { ...status, timestamp } } }),
  };
}

/** Adds a message to `past` that is not shown any more. The same message with another list of open questions is still shown. */
function replaced(shown: Message | undefined, next: Message | undefined, past: Message[]): Message | undefined {
  if (shown !== undefined && shown.messageId !== next?.messageId) past.push(withoutList(shown));
  return next;
}
