import type { ArtifactFold } from '../../model/artifact-fold.ts';
import type { TaskArtifactUpdateEvent } from '../../model/event.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Message } from '../../model/message.ts';
import type { Task, TaskStatus } from '../../model/task.ts';
import type {
  Appended,
  Guard,
  JournalEntry,
  Lease,
  NewCall,
  NewEvent,
  TaskEvent,
  TaskRecord,
  TaskWrite,
} from '../../store/store.ts';
import { type Deferred, deferred } from '../../support/deferred.ts';
import type { Writable } from '../../support/writable.ts';
import type { EngineContext } from '../engine-context.ts';
import { stopError, type StopReason } from '../run/run-state.ts';
import { Conversation } from '../run/conversation.ts';
import type { Journal } from '../replay/journal.ts';
import { outlined } from '../replay/journal-outline.ts';
import { journalToKeep } from '../runnable.ts';
import { artifactEvent, createdEvent, statusEvent, taskView } from '../replay/event-body.ts';
import type { FeedChange } from '../stream/feed.ts';
import type { WriteCoalescer } from './write-coalescer.ts';
import type { LoadedTask } from '../replay/load-task.ts';
import { addDecision, Batch, type Decision } from './write-batch.ts';

/** Below this size a snapshot does not pay off. */
const MIN_SNAPSHOT_BYTES = 2 ** 16;

/** The number of a stored journal entry, and whether nothing else was stored with it. */
export interface Noted {
  readonly number: number;
  readonly isAlone: boolean;
}

/** Why a run has lost its task. */
export type Loss =
  /** Another node holds the lease, or the task has ended. */
  | { readonly kind: 'rejected'; readonly record: TaskRecord | undefined }
  /**
   * Another message arrived first, so the decision of the run was not stored, or the node was frozen. The task continues.
   */
  | { readonly kind: 'overtaken' }
  /** A write failed, and it is unknown whether it was stored. */
  | { readonly kind: 'failed'; readonly error: unknown };

/** The run of a writer. */
export interface WriterEvents {
  onLost(loss: Loss): void;
  /** A write has shown that the task is being canceled. */
  cancel(): void;
  /** There is something to write, but the run is suspended. Called once until `resume`. */
  onLeaseWanted(): void;
  /** A suspect has made progress. */
  onCleared(): void;
}

/**
 * Writes the output and journal of one run under its lease. Everything of one turn goes into one write, one write is in
 * flight at a time, and events are published only after they are stored.
 *
 *     emit, journal ──► batch ──► append ──► stored: publish, promises resolve
 *                        ▲          │ rejected: the lease is lost, the run is over
 *                        └ meanwhile: the next batch
 *
 * Without a lease (the run is suspended) batches wait.
 */
export class TaskWriter implements WriteCoalescer {
  readonly #engine: EngineContext;
  readonly #on: WriterEvents;
  readonly #message: Message;
  readonly #journal: Journal;
  /** The artifacts including all events of the log and of pending batches. */
  readonly #fold: ArtifactFold;
  readonly conversation: Conversation;
  #record: TaskRecord;
  #status: TaskStatus;
  #lease: Lease | undefined;
  /** The writes that wait. Created on first use, because a run ends without any. */
  #waiting: Batch | undefined;
  #flight: Batch | undefined;
  #room: Deferred<void> | undefined;
  #isScheduled = false;
  #isClosed = false;
  #isLeaseWanted = false;
  /** Whether nobody else has added to the journal, and therefore to the history, so that the run knows the whole task. */
  #knowsAll = true;
  #tailBytes: number;
  #snapshotBytes = 0;
  #outputBytes: number;
  /** The memory that the run holds. */
  #heldBytes = 0;
  /** Whether that counts as memory of running tasks; not while the run is suspended. */
  #isCounted = true;

  constructor(engine: EngineContext, on: WriterEvents, start: LoadedTask) {
    this.#engine = engine;
    this.#on = on;
    this.#record = start.record;
    this.#status = start.record.status;
    this.conversation = new Conversation(start.history, start.record.status);
    this.#message = start.firstMessage;
    this.#journal = start.journal;
    this.#fold = start.fold;
    this.#tailBytes = start.artifactBytes;
    this.#outputBytes = start.outputBytes;
    this.#lease = { node: engine.node, fence: start.record.fence };
    this.#hold(start.loadedBytes);
  }

  /** The task as it was last stored. */
  get record(): TaskRecord {
    return this.#record;
  }

  /** Whether the journal has entries from outside that the run has not read. */
  get hasUnread(): boolean {
    return this.#record.lastJournal > this.#journal.seen;
  }

  /** The write in progress, if it adds to the journal. */
  get noting(): Promise<unknown> | undefined {
    return this.#flight?.notes === true ? this.#flight.done.promise : undefined;
  }

  get #batch(): Batch {
    return (this.#waiting ??= new Batch());
  }

  get #hasNothingWaiting(): boolean {
    return this.#waiting === undefined || this.#waiting.isEmpty;
  }

  /** The status including pending writes. */
  get status(): TaskStatus {
    return this.#status;
  }

  get lease(): Lease | undefined {
    return this.#lease;
  }

  /** The size of all output of the task. */
  get outputBytes(): number {
    return this.#outputBytes;
  }

  get artifacts(): ArtifactFold {
    return this.#fold;
  }

  /** Whether no caller can see the task, and nothing pending would change that. */
  get isProvisional(): boolean {
    return !this.#record.visible && this.isIdle;
  }

  /** Whether a question is open or about to be stored. Until it is answered, the status is the question. */
  get isAsking(): boolean {
    return this.#record.question !== undefined || this.#waiting?.asks === true || this.#flight?.asks === true;
  }

  get isIdle(): boolean {
    return this.#hasNothingWaiting && this.#flight === undefined;
  }

  setStatus(status: TaskStatus, metadata?: JsonObject): void {
    this.#moveTo(status);
    this.#batch.setStatus(status);
    this.#add(statusEvent(this.#record, status, metadata));
  }

  addArtifact(update: TaskArtifactUpdateEvent, event: NewEvent = artifactEvent(update)): void {
    this.#fold.apply(update);
    this.#tailBytes += event.body.length;
    this.#batch.setLatestChunk(update.artifact.artifactId, event, update.lastChunk === true);
    this.#add(event);
  }

  /** Whether `closeArtifacts` can still mark the last chunk of this artifact, because it is not being written yet. */
  canClose(artifactId: string): boolean {
    return this.#waiting?.hasOpenArtifact(artifactId) === true;
  }

  /** Marks the last chunks as last, unless they are already being written. */
  closeArtifacts(): void {
    this.#waiting?.closeArtifacts();
  }

  /** Adds a journal entry. Call `stored` or `decide` after it. */
  addJournal(entry: JournalEntry): void {
    this.#batch.journal.push(entry);
  }

  /** Adds the entry of a call together with its row. Call `stored` or `decide` after it. */
  addCall(entry: JournalEntry, call: NewCall): void {
    this.#batch.journal.push(entry);
    (this.#batch.calls ??= []).push(call);
  }

  /** With the next write, the nodes that work on calls of the task look at it again. */
  makeCallsDue(): void {
    this.#batch.callsDue = true;
  }

  /** Stores a journal entry. Resolves with its number. @param call The row of the call that it records. */
  async note(entry: JournalEntry, call?: NewCall): Promise<Noted> {
    if (call === undefined) this.#batch.journal.push(entry);
    else this.addCall(entry, call);
    const { done } = this.#batch;
    this.#push();
    const { journal, firstJournal } = await done.promise;
    return { number: firstJournal + journal.indexOf(entry), isAlone: journal.length === 1 };
  }

  /** Resolves when there is room for more output. */
  room(): Promise<void> | undefined {
    if (this.#waiting === undefined || this.#waiting.hasRoom) return this.#engine.memory.room(this, this.#heldBytes);
    this.#schedule();
    return (this.#room ??= deferred<void>()).promise;
  }

  /** @throws A2AError `UNAVAILABLE` if the handler should have waited for memory, did not, and there is none. */
  assertMemory(): void {
    this.#engine.memory.assertRoom(this);
  }

  /** Resolves when everything so far is stored. */
  stored(): Promise<unknown> {
    if (this.#hasNothingWaiting) return this.#flight === undefined ? Promise.resolve() : this.#flight.done.promise;
    const { done } = this.#batch;
    this.#push();
    return done.promise;
  }

  /** Stores a pause or an end with all pending writes. Returns whether it was stored: not if the task is being canceled. */
  decide(decision: Decision): Promise<boolean> {
    const batch = this.#batch;
    // Before the push, which may drop an outdated decision.
    const { verdict } = batch;
    batch.decide(decision);
    this.#push();
    return verdict.promise;
  }

  /**
   * Like `decide`, but resolves with the number of the first entry of the decision, or with `undefined` if it was not stored. The
   * other entries of the decision follow that one.
   */
  async decideInTurn(decision: Decision): Promise<Noted | undefined> {
    const batch = this.#batch;
    if (!(await this.decide(decision))) return undefined;
    const { journal = [] } = decision;
    const [first] = journal;
    const number = first === undefined ? 0 : batch.numberOf(first);
    return { number, isAlone: batch.journal.length + journal.length === 1 };
  }

  /** Writes the pending batch, or requests a lease for it. */
  #push(): void {
    if (this.#lease === undefined) this.#wantLease();
    this.#flush();
  }

  /** The first pending write wakes the run, the others follow. */
  #wantLease(): void {
    if (this.#isLeaseWanted || this.#isClosed) return;
    this.#isLeaseWanted = true;
    this.#on.onLeaseWanted();
  }

  /** Applies a record that was written from outside under the same lease. */
  refresh(record: TaskRecord): void {
    if (record.fence !== this.#lease?.fence) return;
    // A record that was read before the last own write is outdated.
    if (record.lastEvent < this.#record.lastEvent || record.lastJournal < this.#record.lastJournal) return;
    this.#see(record);
    if (this.#waiting?.status === undefined && this.#flight?.status === undefined) this.#moveTo(record.status);
  }

  /** Called when the run is suspended: its memory no longer counts. */
  suspend(): void {
    this.#uncount();
  }

  /** Continues under a new lease. */
  resume(record: TaskRecord): void {
    if (!this.#isCounted) {
      this.#isCounted = true;
      this.#engine.memory.add(this.#heldBytes);
    }
    this.#isLeaseWanted = false;
    this.#see(record);
    if (this.#waiting?.status === undefined) this.#moveTo(record.status);
    this.#lease = { node: this.#engine.node, fence: record.fence };
    if (!this.#hasNothingWaiting) this.#schedule();
  }

  /** Stops writing. Pending promises are rejected with the reason, or stay pending if there is none. */
  close(reason?: StopReason): void {
    this.#isClosed = true;
    this.#lease = undefined;
    const { memory } = this.#engine;
    const isAwaited = this.#waiting?.isAwaited === true || this.#flight?.isAwaited === true || this.#room !== undefined;
    // Creating an error costs more than a short run, and usually nobody waits for one.
    const error = reason === undefined || !(isAwaited || memory.isWaiting(this)) ? undefined : stopError(reason);
    this.#uncount(error);
    if (error === undefined) return;
    this.#waiting?.fail(error);
    this.#flight?.fail(error);
    this.#room?.reject(error);
  }

  #moveTo(status: TaskStatus): void {
    this.conversation.see(status);
    this.#status = status;
  }

  #hold(bytes: number): void {
    this.#heldBytes += bytes;
    if (this.#isCounted) this.#engine.memory.add(bytes);
  }

  #uncount(error?: Error): void {
    if (!this.#isCounted) return;
    this.#isCounted = false;
    this.#engine.memory.release(this, this.#heldBytes, error);
  }

  #add(event: NewEvent): void {
    this.#hold(event.body.length);
    this.#outputBytes += event.body.length;
    this.#batch.events.push(event);
    this.#batch.bytes += event.body.length;
    this.#schedule();
  }

  /** In a later turn of the event loop, so that all output of one turn is one write. */
  #schedule(): void {
    if (this.#isScheduled || this.#isClosed || this.#flight !== undefined) return;
    if (this.#lease === undefined) {
      this.#wantLease();
      return;
    }
    this.#isScheduled = true;
    this.#engine.gathering.add(this);
  }

  writeGathered(): void {
    this.#isScheduled = false;
    if (!this.#hasNothingWaiting) this.#flush();
  }

  /** Called when the store, or the way to it, has failed. */
  fail(error: unknown): void {
    this.#lost({ kind: 'failed', error });
  }

  #flush(): void {
    if (this.#flight !== undefined || this.#lease === undefined) return;
    if (this.#isScheduled) {
      this.#isScheduled = false;
      this.#engine.gathering.remove(this);
    }
    const batch = this.#batch;
    const { asOf } = batch.decision ?? {};
    if (asOf !== undefined && (this.hasUnread || asOf !== this.#journal.arrivals)) batch.dropDecision();
    if (batch.isEmpty) return;
    this.#flight = batch;
    this.#waiting = undefined;
    this.#makeRoom();
    this.#engine.faultPoint('before-commit');
    this.#send(batch, this.#lease);
  }

  #send(batch: Batch, lease: Lease): void {
    try {
      const write = this.#writeOf(batch, lease);
      this.#engine.store.append(write).then(
        (result) => this.#settled(batch, write, result),
        (error: unknown) => this.fail(error),
      );
    } catch (error) {
      // Not synchronously, because the caller is about to read the promises of the batch.
      queueMicrotask(() => this.fail(error));
    }
  }

  #writeOf(batch: Batch, lease: Lease): TaskWrite {
    batch.stampFrom(this.#record.status.timestamp ?? '');
    const { events, journal } = batch;
    if (this.#record.lastEvent === 0 && events[0]?.kind !== 'task') {
      const created = createdEvent(this.#record, this.#message);
      this.#hold(created.body.length);
      events.unshift(created);
    }
    const write: Writable<TaskWrite> = {
      taskId: this.#record.id,
      by: this.#engine.node,
      guard: batch.guard(lease, this.#record, this.#journal.seen),
      events,
      journal,
      history: batch.pastMessages(this.#record.status),
    };
    if (!this.#record.visible) write.visible = true;
    if (batch.status !== undefined) write.status = batch.status;
    if (batch.calls !== undefined) write.calls = batch.calls;
    if (batch.callsDue) write.callsDue = true;
    if (batch.decision !== undefined) addDecision(write, batch.decision, this.#record);
    if (write.journal !== undefined && write.journal.length > 0)
      write.journal = outlined(write.journal, this.#engine.clock.now());
    if (write.endedAt !== undefined) Object.assign(write, journalToKeep(this.#engine.agents.get(this.#record.agent)));
    const limit = batch.decision?.endedAt === undefined ? Math.max(this.#snapshotBytes, MIN_SNAPSHOT_BYTES) : 0;
    if (this.#tailBytes > limit) {
      write.artifacts = this.#fold.toJson();
      batch.snapshotOf = this.#tailBytes;
    }
    return write;
  }

  #settled(batch: Batch, write: TaskWrite, result: Appended): void {
    if (this.#isClosed) return;
    if (result.kind !== 'appended') {
      const record = result.kind === 'rejected' ? result.record : undefined;
      if (record !== undefined && this.#isStillOurs(record)) this.#undecided(batch, write.guard, record);
      else this.#lost({ kind: 'rejected', record });
      return;
    }
    this.#engine.faultPoint('after-commit');
    const { record, firstEvent } = result;
    if (record.status.state !== this.#record.status.state) this.#engine.observers.metrics?.stateReached(record);
    const { length: noted } = write.journal ?? [];
    this.#see(record, noted);
    batch.firstJournal = record.lastJournal - noted + 1;
    this.#journal.wrote(batch.firstJournal, noted);
    this.#flight = undefined;
    if (write.artifacts !== undefined) {
      this.#snapshotBytes = write.artifacts.length;
      this.#tailBytes -= batch.snapshotOf;
    }
    if (this.#waiting?.status === undefined) this.#moveTo(record.status);
    if (batch.decision?.release === true || record.endedAt !== undefined) this.#lease = undefined;
    if (result.callsDue === true) this.#engine.onCallsDue(record, write.calls);
    batch.decision?.onStored?.();
    this.#engine.feed.written(record, () => this.#changeOf(record, firstEvent, write.events));
    this.#engine.faultPoint('after-publish');
    batch.succeed();
    // In case the hint was lost.
    if (record.canceling && record.endedAt === undefined) this.#on.cancel();
    if (this.#hasNothingWaiting) return;
    if (this.#lease === undefined) this.#wantLease();
    else this.#flush();
  }

  /** The notification of a write. It contains the whole task if the run knows it and nothing is pending. */
  #changeOf(record: TaskRecord, first: number, written: readonly NewEvent[] = []): FeedChange {
    const events = written.map(({ kind, body }, i): TaskEvent => ({ number: first + i, kind, body }));
    if (!this.#knowsAll || !this.#hasNothingWaiting) return { kind: 'written', record, events };
    const task = (): Task => taskView(record, [...this.conversation.messages], this.#fold.artifacts());
    return { kind: 'written', record, events, task };
  }

  /** Applies a later record. */
  #see(record: TaskRecord, ownEntries = 0): void {
    // Then the journal has entries from outside.
    if (record.lastJournal !== this.#record.lastJournal + ownEntries) this.#knowsAll = false;
    const added = (record.historyBytes ?? 0) - (this.#record.historyBytes ?? 0);
    if (added > 0) this.#hold(added);
    if (this.#record.suspectMs !== undefined && record.suspectMs === undefined) this.#on.onCleared();
    this.#record = record;
  }

  #isStillOurs({ node, fence, endedAt }: TaskRecord): boolean {
    return endedAt === undefined && node === this.#lease?.node && fence === this.#lease?.fence;
  }

  /** A cancel or an answer was stored first. The output of the run counts, its decision does not. */
  #undecided(batch: Batch, { lease, canceling }: Guard, record: TaskRecord): void {
    this.#see(record);
    const isCanceled = canceling === false && record.canceling;
    // A canceled task makes no calls. Their waits end with the cancel.
    if (record.canceling) batch.calls = undefined;
    const { ifOpen, asOf } = batch.decision ?? {};
    if (!isCanceled && ifOpen === undefined && asOf === undefined && lease !== undefined) {
      // The answer to a question that the run no longer waits for: the decision still applies, only after another status.
      this.#send(batch, lease);
      return;
    }
    this.#flight = undefined;
    if (batch.status === undefined) this.#moveTo(record.status);
    this.#batch.takeOver(batch);
    if (record.canceling) this.#on.cancel();
    batch.undecided?.resolve(false);
    if (!this.#hasNothingWaiting) this.#schedule();
  }

  #lost(loss: Loss): void {
    if (this.#isClosed) return;
    this.#lease = undefined;
    this.#on.onLost(loss);
  }

  #makeRoom(): void {
    this.#room?.resolve();
    this.#room = undefined;
  }
}
