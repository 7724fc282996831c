import type { ArtifactFold } from '../model/artifact-fold.ts';
import type { TaskArtifactUpdateEvent } from '../model/event.ts';
import type { JsonObject } from '../model/json.ts';
import type { Message } from '../model/message.ts';
import type { Task, TaskStatus } from '../model/task.ts';
import type {
  Appended,
  Guard,
  JournalEntry,
  Lease,
  NewEvent,
  TaskEvent,
  TaskRecord,
  TaskWrite,
} from '../store/store.ts';
import { type Deferred, deferred } from '../support/deferred.ts';
import type { Writable } from '../support/writable.ts';
import { stopError, type StopReason } from './abort.ts';
import { Conversation } from './conversation.ts';
import { artifactEvent, createdEvent, statusEvent, taskView } from './event-body.ts';
import type { News } from './feed.ts';
import type { Gatherer } from './gathering.ts';
import type { LoadedTask } from './load-task.ts';
import type { Loss } from './loss.ts';
import type { WriterEnvironment } from './run-environment.ts';
import { addDecision, Batch, type Decision } from './write-batch.ts';

/** Outputs that may wait for the store; a handler that gives more waits too. */
const MAX_WAITING = 256;
const MAX_WAITING_BYTES = 2 ** 20;
/** Below this a snapshot is not worth its write. */
const MIN_SNAPSHOT_BYTES = 2 ** 16;

/** Where in the journal something was stored, and whether nothing else was stored with it. */
export interface Noted {
  readonly number: number;
  readonly isAlone: boolean;
}

export interface WriterEvents {
  onLost(loss: Loss): void;
  /** The task is being canceled, as a write has shown. */
  cancel(): void;
  /** Something waits to be written, but the run is suspended. */
  onBlocked(): void;
}

/**
 * Writes what one run does, under its lease. Everything of one moment goes into one write, one write is under way at a
 * time, and what it said is told to others only after it is stored.
 *
 *     emit, journal ──► batch ──► append ──► stored: publish, promises resolve
 *                        ▲          │ refused: the lease is lost, the run is over
 *                        └ meanwhile: the next batch
 *
 * Without a lease (the run is suspended) batches wait.
 */
export class TaskWriter implements Gatherer {
  readonly #env: WriterEnvironment;
  readonly #on: WriterEvents;
  readonly #message: Message;
  /** The artifacts with all events of the log and of the waiting batches. */
  readonly #fold: ArtifactFold;
  readonly conversation: Conversation;
  #record: TaskRecord;
  #status: TaskStatus;
  #lease: Lease | undefined;
  #batch = new Batch();
  #flight: Batch | undefined;
  #room: Deferred<void> | undefined;
  #isScheduled = false;
  #isClosed = false;
  #hasUnheard = false;
  /** Nobody else has added to the journal, nor therefore to the history: the run knows all of the task. */
  #knowsAll = true;
  #tailBytes: number;
  #snapshotBytes = 0;
  #outputBytes: number;
  /** What the run holds in memory. */
  #heldBytes = 0;
  /** Whether that counts as memory of running tasks: not while the run is suspended. */
  #isCounted = true;

  constructor(env: WriterEnvironment, on: WriterEvents, start: LoadedTask) {
    this.#env = env;
    this.#on = on;
    this.#record = start.record;
    this.#status = start.record.status;
    this.conversation = new Conversation(start.history, start.record.status);
    this.#message = start.firstMessage;
    this.#fold = start.fold;
    this.#tailBytes = start.artifactBytes;
    this.#outputBytes = start.outputBytes;
    this.#lease = { node: env.node, fence: start.record.fence };
    this.#hold(start.loadedBytes);
  }

  /** The task as it was last stored. */
  get record(): TaskRecord {
    return this.#record;
  }

  /** Others have written to the journal what the run has not heard of. */
  get hasUnheard(): boolean {
    return this.#hasUnheard;
  }

  /** The status with what is not stored yet. */
  get status(): TaskStatus {
    return this.#status;
  }

  get lease(): Lease | undefined {
    return this.#lease;
  }

  /** The size of all that the task has said. */
  get outputBytes(): number {
    return this.#outputBytes;
  }

  get artifacts(): ArtifactFold {
    return this.#fold;
  }

  /** Nobody has heard of the task, and nothing is waiting that would change that. */
  get isProvisional(): boolean {
    return !this.#record.visible && this.isIdle;
  }

  /** A question is open, or on its way to the store: until it is answered the status is the question. */
  get isAsking(): boolean {
    return this.#record.question !== undefined || this.#batch.asks || this.#flight?.asks === true;
  }

  get isIdle(): boolean {
    return this.#batch.isEmpty && this.#flight === undefined;
  }

  setStatus(status: TaskStatus, metadata?: JsonObject): void {
    this.#moveTo(status);
    this.#batch.setStatus(status);
    this.#add(statusEvent(this.#record, status, metadata));
  }

  addArtifact(update: TaskArtifactUpdateEvent, event: NewEvent = artifactEvent(update)): void {
    this.#fold.apply(update);
    this.#tailBytes += event.body.length;
    const { artifactId } = update.artifact;
    if (update.lastChunk === true) this.#batch.unclosed?.delete(artifactId);
    else (this.#batch.unclosed ??= new Map()).set(artifactId, event);
    this.#add(event);
  }

  /** Whether `closeArtifacts` would mark the last chunk of this artifact: it is not on its way to the store. */
  canClose(artifactId: string): boolean {
    return this.#batch.unclosed?.has(artifactId) === true;
  }

  /** No chunk follows: the last ones say so, as far as they are not on their way to the store. */
  closeArtifacts(): void {
    this.#batch.closeArtifacts();
  }

  /** To be followed by `stored` or `decide`. */
  addJournal(entry: JournalEntry): void {
    this.#batch.journal.push(entry);
  }

  /** Resolves with the number of an entry when it is stored. Who is not alone in its write waits for its turn. */
  async note(entry: JournalEntry): Promise<Noted> {
    this.#batch.journal.push(entry);
    const { done } = this.#batch;
    this.#push();
    const { journal, firstJournal } = await done.promise;
    return { number: firstJournal + journal.indexOf(entry), isAlone: journal.length === 1 };
  }

  /** Resolves when there is room for more output. */
  room(): Promise<void> | undefined {
    const { events, journal, bytes } = this.#batch;
    if (events.length + journal.length < MAX_WAITING && bytes < MAX_WAITING_BYTES)
      return this.#env.memory.room(this, this.#heldBytes);
    this.#schedule();
    return (this.#room ??= deferred<void>()).promise;
  }

  /** @throws A2AError `UNAVAILABLE` if the handler was to wait for memory and did not, and there is none. */
  assertMemory(): void {
    this.#env.memory.assertRoom(this);
  }

  /** Resolves when everything given so far is stored. */
  stored(): Promise<unknown> {
    if (this.#batch.isEmpty) return this.#flight === undefined ? Promise.resolve() : this.#flight.done.promise;
    const { done } = this.#batch;
    this.#push();
    return done.promise;
  }

  /** Stores a pause or an end with all that waits. Says whether it happened: not if the task is being canceled. */
  async decide(decision: Decision): Promise<boolean> {
    const batch = this.#batch;
    batch.decide(decision);
    this.#push();
    return batch.verdict.promise;
  }

  /** As `decide`: with the number of the last entry of its write, or nothing if it did not happen. */
  async decideInTurn(decision: Decision): Promise<Noted | undefined> {
    const batch = this.#batch;
    if (!(await this.decide(decision))) return undefined;
    const { firstJournal, journal } = batch;
    return { number: firstJournal + journal.length, isAlone: journal.length === 0 };
  }

  /** Writes what there is, or says that it would. */
  #push(): void {
    if (this.#lease === undefined) this.#on.onBlocked();
    this.#flush();
  }

  /** Takes in what others have written under our lease. */
  refresh(record: TaskRecord): void {
    if (record.fence !== this.#lease?.fence) return;
    // What was read before our last write was answered is old news.
    if (record.lastEvent < this.#record.lastEvent || record.lastJournal < this.#record.lastJournal) return;
    this.#hasUnheard = false;
    this.#see(record);
    if (this.#batch.status === undefined && this.#flight?.status === undefined) this.#moveTo(record.status);
  }

  /** The run is suspended: what it holds does not count with the running ones. */
  suspend(): void {
    this.#uncount();
  }

  /** Goes on under a new lease. */
  resume(record: TaskRecord): void {
    if (!this.#isCounted) {
      this.#isCounted = true;
      this.#env.memory.add(this.#heldBytes);
    }
    this.#hasUnheard = false;
    this.#see(record);
    if (this.#batch.status === undefined) this.#moveTo(record.status);
    this.#lease = { node: this.#env.node, fence: record.fence };
    if (!this.#batch.isEmpty) this.#schedule();
  }

  /** Nothing more is written. What waits for it learns why, or waits for ever if there is no reason. */
  close(reason?: StopReason): void {
    this.#isClosed = true;
    this.#lease = undefined;
    const { memory } = this.#env;
    const isAwaited = this.#batch.isAwaited || this.#flight?.isAwaited === true || this.#room !== undefined;
    // An error costs more than a short run, and most often nobody waits for one.
    const error = reason === undefined || !(isAwaited || memory.isWaiting(this)) ? undefined : stopError(reason);
    this.#uncount(error);
    if (error === undefined) return;
    this.#batch.fail(error);
    this.#flight?.fail(error);
    this.#room?.reject(error);
  }

  #moveTo(status: TaskStatus): void {
    this.conversation.see(status);
    this.#status = status;
  }

  #hold(bytes: number): void {
    this.#heldBytes += bytes;
    if (this.#isCounted) this.#env.memory.add(bytes);
  }

  #uncount(error?: Error): void {
    if (!this.#isCounted) return;
    this.#isCounted = false;
    this.#env.memory.release(this, this.#heldBytes, error);
  }

  #add(event: NewEvent): void {
    this.#hold(event.body.length);
    this.#outputBytes += event.body.length;
    this.#batch.events.push(event);
    this.#batch.bytes += event.body.length;
    this.#schedule();
  }

  /** A turn of the loop later, so that what a handler says in one go is one write. */
  #schedule(): void {
    if (this.#isScheduled || this.#isClosed || this.#flight !== undefined) return;
    if (this.#lease === undefined) {
      this.#on.onBlocked();
      return;
    }
    this.#isScheduled = true;
    this.#env.gathering.add(this);
  }

  writeGathered(): void {
    this.#isScheduled = false;
    if (!this.#batch.isEmpty) this.#flush();
  }

  /** The store, or something on the way to it, is broken. */
  fail(error: unknown): void {
    this.#lost({ kind: 'failed', error });
  }

  #flush(): void {
    if (this.#flight !== undefined || this.#lease === undefined) return;
    if (this.#isScheduled) {
      this.#isScheduled = false;
      this.#env.gathering.remove(this);
    }
    const batch = this.#batch;
    this.#flight = batch;
    this.#batch = new Batch();
    this.#makeRoom();
    this.#env.faultPoint('before-commit');
    this.#send(batch, this.#lease);
  }

  #send(batch: Batch, lease: Lease): void {
    try {
      const write = this.#writeOf(batch, lease);
      this.#env.store.append(write).then(
        (result) => this.#settled(batch, write, result),
        (error: unknown) => this.fail(error),
      );
    } catch (error) {
      // Not at once: who gives the batch is about to ask what has become of it.
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
      by: this.#env.node,
      guard: batch.guard(lease, this.#record.question),
      events,
      journal,
      history: batch.pastMessages(this.#record.status),
    };
    if (!this.#record.visible) write.visible = true;
    if (batch.status !== undefined) write.status = batch.status;
    if (batch.decision !== undefined) addDecision(write, batch.decision, this.#record);
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
      const record = result.kind === 'refused' ? result.record : undefined;
      if (record !== undefined && this.#isStillOurs(record)) this.#undecided(batch, write.guard, record);
      else this.#lost({ kind: 'refused', record });
      return;
    }
    this.#env.faultPoint('after-commit');
    const { record, firstEvent } = result;
    if (record.status.state !== this.#record.status.state) this.#env.observers.metrics?.stateReached(record);
    if (this.#see(record, write.journal?.length)) this.#hasUnheard = true;
    batch.firstJournal = record.lastJournal - (write.journal?.length ?? 0) + 1;
    this.#flight = undefined;
    if (write.artifacts !== undefined) {
      this.#snapshotBytes = write.artifacts.length;
      this.#tailBytes -= batch.snapshotOf;
    }
    if (this.#batch.status === undefined) this.#moveTo(record.status);
    if (batch.decision?.release === true || record.endedAt !== undefined) this.#lease = undefined;
    this.#env.feed.written(record, () => this.#newsOf(record, firstEvent, write.events));
    this.#env.faultPoint('after-publish');
    batch.succeed();
    // The hint may have been lost.
    if (record.canceling && record.endedAt === undefined) this.#on.cancel();
    if (this.#batch.isEmpty) return;
    if (this.#lease === undefined) this.#on.onBlocked();
    else this.#flush();
  }

  /** All that the run has said is stored now, if nothing waits. */
  #newsOf(record: TaskRecord, first: number, written: readonly NewEvent[] = []): News {
    const events = written.map(({ kind, body }, i): TaskEvent => ({ number: first + i, kind, body }));
    if (!this.#knowsAll || !this.#batch.isEmpty) return { kind: 'written', record, events };
    const task = (): Task => taskView(record, [...this.conversation.messages], this.#fold.artifacts());
    return { kind: 'written', record, events, task };
  }

  /** Takes in a later record; says whether others have added to the journal. */
  #see(record: TaskRecord, ownEntries = 0): boolean {
    const isOthers = record.lastJournal !== this.#record.lastJournal + ownEntries;
    if (isOthers) this.#knowsAll = false;
    const added = (record.historyBytes ?? 0) - (this.#record.historyBytes ?? 0);
    if (added > 0) this.#hold(added);
    if (this.#record.suspectMs !== undefined && record.suspectMs === undefined) this.#env.onCleared(record.id);
    this.#record = record;
    return isOthers;
  }

  #isStillOurs({ node, fence, endedAt }: TaskRecord): boolean {
    return endedAt === undefined && node === this.#lease?.node && fence === this.#lease?.fence;
  }

  /** A cancel or an answer came first. What the run did counts, what it decided does not. */
  #undecided(batch: Batch, { lease, canceling }: Guard, record: TaskRecord): void {
    this.#see(record);
    const isCanceled = canceling === false && record.canceling;
    if (!isCanceled && batch.decision?.ifOpen === undefined && lease !== undefined) {
      // The answer to a question that the run has left behind: what the run says stands, only after another status.
      this.#send(batch, lease);
      return;
    }
    this.#flight = undefined;
    this.#batch.takeOver(batch);
    if (record.canceling) this.#on.cancel();
    batch.undecided?.resolve(false);
    if (!this.#batch.isEmpty) this.#schedule();
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
