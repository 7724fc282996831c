import type { TaskStatusUpdateEvent } from '../model/event.ts';
import type { JsonObject } from '../model/json.ts';
import type { Message } from '../model/message.ts';
import type { TaskStatus } from '../model/task.ts';
import type { Guard, JournalEntry, Lease, NewEvent, TaskRecord, TaskWrite } from '../store/store.ts';
import { type Deferred, deferred } from '../support/deferred.ts';
import type { Writable } from '../support/writable.ts';
import { asLastChunk, statusEvent } from './event-body.ts';

/** A pause or an end. Only `canceled` can happen to a task that is being canceled. */
export interface Decision extends Pick<TaskWrite, 'release' | 'wakeAt' | 'question' | 'endedAt' | 'journal'> {
  readonly status?: TaskStatus;
  readonly metadata?: JsonObject;
  /** Only while this question is open. */
  readonly ifOpen?: string;
}

/** What will be one write. */
export class Batch {
  readonly events: NewEvent[] = [];
  readonly journal: JournalEntry[] = [];
  /** The last chunk of each artifact that does not say that it is the last, by artifact. Most batches have none. */
  unclosed: Map<string, NewEvent> | undefined;
  /** All but the last are in the past by the time it is stored. */
  readonly #statuses: TaskStatus[] = [];
  decision: Decision | undefined;
  bytes = 0;
  /** The number of the first entry of its journal, once it is stored. */
  firstJournal = 0;
  /** The bytes of artifact events that its snapshot makes superfluous. */
  snapshotOf = 0;
  /** Somebody waits for it to be stored: made when asked for, because most often nobody does. */
  #unstored: Deferred<Batch> | undefined;
  /** Somebody waits to hear whether its decision came about. */
  undecided: Deferred<boolean> | undefined;

  /** Resolves to the batch that it was stored with, which may be a later one. */
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

  /** A question is in it. */
  get asks(): boolean {
    return typeof this.decision?.question === 'string';
  }

  get isEmpty(): boolean {
    return this.events.length === 0 && this.journal.length === 0 && this.decision === undefined;
  }

  /** Marks the last chunks in this batch as such. */
  closeArtifacts(): void {
    for (const event of this.unclosed?.values() ?? []) this.events[this.events.lastIndexOf(event)] = asLastChunk(event);
    this.unclosed = undefined;
  }

  get status(): TaskStatus | undefined {
    return this.#statuses.at(-1);
  }

  setStatus(status: TaskStatus): void {
    this.#statuses.push(status);
  }

  /** Messages that belong to the past once this batch is stored after another status. */
  pastMessages(last: TaskStatus): readonly Message[] {
    const past: Message[] = [];
    let current = last;
    const move = (status: TaskStatus): void => {
      if (current.message !== undefined) past.push(current.message);
      current = status;
    };
    for (const status of this.#statuses) move(status);
    if (this.decision?.status !== undefined) move(this.decision.status);
    return past;
  }

  /** Tasks are listed by the time of their status: it must not go back behind what somebody else said in between. */
  stampFrom(timestamp: string): void {
    if (!this.#statuses.some((status) => isBefore(status, timestamp))) return;
    for (const [i, status] of this.#statuses.entries())
      if (isBefore(status, timestamp)) this.#statuses[i] = { ...status, timestamp };
    for (const [i, event] of this.events.entries())
      if (event.kind === 'status') this.events[i] = stamped(event, timestamp);
  }

  decide(decision: Decision): void {
    // At its end a run waits for nothing, and who asks the next question has an answer to the last one: what was decided
    // before, and is not stored, has no meaning any more.
    const asksNext = typeof decision.question === 'string' && this.decision?.ifOpen !== undefined;
    const before = decision.endedAt !== undefined || asksNext ? undefined : this.decision;
    if (before === undefined) {
      this.decision = decision;
      return;
    }
    const journal = [...(before.journal ?? []), ...(decision.journal ?? [])];
    this.decision = { ...before, ...decision, journal };
  }

  /** @param open The question that waits for an answer, as far as the run knows. */
  guard(lease: Lease, open: string | undefined): Guard {
    const { status, ifOpen, question } = this.decision ?? {};
    // Whoever says something new while a question is open must know whether it still is: its answer is a status too.
    const replaces = status !== undefined || this.status !== undefined;
    // A question that this very write asks is not open yet.
    const condition = (typeof question === 'string' ? undefined : ifOpen) ?? (replaces ? open : undefined);
    const guard: Writable<Guard> = { lease };
    if (condition !== undefined) guard.question = condition;
    const mayBeCanceled = this.decision === undefined || status?.state === 'TASK_STATE_CANCELED';
    if (!mayBeCanceled) guard.canceling = false;
    return guard;
  }

  /** Puts the log of another batch before its own. Whoever waits for that log waits on. */
  takeOver(other: Batch): void {
    this.events.unshift(...other.events);
    this.journal.unshift(...other.journal);
    this.#statuses.unshift(...other.#statuses);
    this.bytes += other.bytes;
    const waiting = other.#unstored;
    if (waiting === undefined) return;
    if (other.events.length === 0 && other.journal.length === 0) waiting.resolve(this);
    else this.done.promise.then(waiting.resolve, waiting.reject);
  }
}

/** Apart from the log of the batch, which stays if the decision does not come about. */
export function addDecision(
  write: Writable<TaskWrite>,
  { status: decided, metadata, journal, release, wakeAt, question, endedAt }: Decision,
  record: TaskRecord,
): void {
  if (release !== undefined) write.release = release;
  if (wakeAt !== undefined) write.wakeAt = wakeAt;
  if (question !== undefined) write.question = question;
  if (endedAt !== undefined) write.endedAt = endedAt;
  if (journal !== undefined) write.journal = [...(write.journal ?? []), ...journal];
  if (decided === undefined) return;
  const { timestamp: last = '' } = write.status ?? record.status;
  // Somebody else's status may have come in between: tasks are listed by this time, which must not go back.
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
