import type { Artifact } from '../model/artifact.ts';
import type { TaskArtifactUpdateEvent } from '../model/event.ts';
import type { JsonObject } from '../model/json.ts';
import type { Message } from '../model/message.ts';
import { mediaTypeOf, type Part } from '../model/part.ts';
import type { TaskState } from '../model/state.ts';
import type { TaskStatus } from '../model/task.ts';
import type { Log } from '../observe/log.ts';
import type { Clock } from '../support/clock.ts';
import type { Writable } from '../support/writable.ts';
import { artifactEvent } from './event-body.ts';
import type { LoadedTask } from './load-task.ts';
import type { Emission } from './output.ts';
import type { Runnable } from './runnable.ts';
import { timeAfter } from './status-time.ts';
import { taskFields, traceMarks } from './task-trace.ts';
import type { TaskWriter } from './task-writer.ts';

type ArtifactEmission = Extract<Emission, { kind: 'artifact' }>;

/** Turns what a handler says into events, unless an earlier attempt has said it. */
export class RunOutputs {
  readonly #task: LoadedTask;
  readonly #agent: Runnable;
  readonly #writer: TaskWriter;
  readonly #clock: Clock;
  readonly #newId: () => string;
  readonly #log: Log;
  readonly #marks: JsonObject | undefined;
  readonly #refused = new Set<string>();
  /** The artifacts that have something in them, as this attempt has made them. */
  readonly #begun: Set<string>;
  /** Said while a question was open: it would hide that somebody has to answer. */
  readonly #held: { readonly parts: readonly Part[]; readonly metadata: JsonObject | undefined }[] = [];
  #heldBytes = 0;
  #originBytes: number | undefined;

  constructor(task: LoadedTask, agent: Runnable, writer: TaskWriter, { clock, newId, log }: OutputTools) {
    this.#log = log;
    this.#task = task;
    this.#marks = traceMarks(task.record);
    this.#begun = new Set(task.begun);
    this.#agent = agent;
    this.#writer = writer;
    this.#clock = clock;
    this.#newId = newId;
  }

  /** About what is kept of the task in memory: what it was asked, and what it said. */
  get heldBytes(): number {
    this.#originBytes ??= JSON.stringify(this.#task.origin).length;
    return this.#originBytes + this.#writer.conversation.bytes + this.#writer.outputBytes + this.#heldBytes;
  }

  /** Says that the work has begun, if nobody has. */
  begin(): void {
    // A question that is on its way says more.
    if (this.#writer.isAsking) return;
    if (this.#writer.status.state === 'TASK_STATE_SUBMITTED') this.#writer.setStatus(this.status('TASK_STATE_WORKING'));
  }

  working(parts: readonly Part[], metadata: JsonObject | undefined): void {
    // Without a word it says nothing that the task does not say already.
    if (parts.length === 0 && metadata === undefined) {
      this.begin();
      return;
    }
    const bytes = this.assertSize(parts, metadata);
    if (this.#task.replay?.status(parts, metadata) === 'known') return;
    this.#assertRoom(bytes + this.#heldBytes);
    this.#held.push({ parts, metadata });
    this.#heldBytes += bytes;
    if (!this.#writer.isAsking) this.speak();
  }

  /** Says what was held back: the question that was open is answered, or the turn ends without an answer. */
  speak(): void {
    this.#heldBytes = 0;
    for (const { parts, metadata } of this.#held.splice(0))
      this.#writer.setStatus(this.status('TASK_STATE_WORKING', parts), metadata);
  }

  artifact(emission: ArtifactEmission): void {
    const parts = this.acceptable(emission.parts);
    if (parts.length === 0 && emission.parts.length > 0) return;
    const update = this.#updateOf(emission, parts);
    const event = artifactEvent(update);
    this.#assertOutput(event.body.length);
    switch (this.#task.replay?.artifact(update, event.body)) {
      case 'known':
        break;
      case 'different':
        this.#correct(update);
        break;
      default:
        this.#assertRoom(event.body.length);
        this.begin();
        this.#writer.addArtifact(update, event);
    }
    this.#begun.add(update.artifact.artifactId);
  }

  /** What anybody says in a status, a reply or a question is an output. Returns its size. */
  assertSize(parts: readonly Part[], metadata?: JsonObject): number {
    const bytes = JSON.stringify([parts, metadata]).length;
    this.#assertOutput(bytes);
    return bytes;
  }

  /** To be called at the end of a turn: what this attempt did not say again, it does not mean. */
  finish(): void {
    this.speak();
    for (const artifact of this.#task.replay?.cutShort() ?? []) {
      this.#writer.addArtifact(this.#whole(artifact, true));
    }
  }

  status(state: TaskState, parts: readonly Part[] = []): TaskStatus {
    const timestamp = timeAfter(this.#writer.status, this.#clock.now());
    return parts.length === 0 ? { state, timestamp } : { state, message: this.message(parts), timestamp };
  }

  message(parts: readonly Part[]): Message {
    return { messageId: this.#newId(), ...this.#ids(), role: 'ROLE_AGENT', parts };
  }

  /** The parts that the caller can take. The others are left out: it has said that it has no use for them. */
  acceptable(parts: readonly Part[]): readonly Part[] {
    const { mayGive } = this.#agent;
    const { acceptedOutputModes } = this.#task.origin;
    if (mayGive === undefined) return parts;
    return parts.filter((part) => {
      // Files without a type are the caller's to judge.
      const mediaType = mediaTypeOf(part);
      const isWanted = mediaType === undefined || mayGive.call(this.#agent, mediaType, acceptedOutputModes);
      if (!isWanted) this.#tellOnce(mediaType);
      return isWanted;
    });
  }

  /** Its author may have forgotten to declare the type. */
  #tellOnce(mediaType: string): void {
    if (this.#refused.has(mediaType)) return;
    this.#refused.add(mediaType);
    this.#log.warn('An output was left out: its type is not among the output modes of the agent and the caller', {
      ...taskFields(this.#task.record),
      mediaType,
    });
  }

  #correct({ artifact: { artifactId }, lastChunk }: TaskArtifactUpdateEvent): void {
    const artifact = this.#task.replay?.settle(artifactId);
    if (artifact === undefined) return;
    this.#writer.addArtifact(this.#whole(artifact, lastChunk === true));
  }

  /** In the place of all that was said of it. */
  #whole(artifact: Artifact, lastChunk: boolean): TaskArtifactUpdateEvent {
    const update: Writable<TaskArtifactUpdateEvent> = { ...this.#ids(), artifact };
    if (lastChunk) update.lastChunk = true;
    if (this.#marks !== undefined) update.metadata = this.#marks;
    return update;
  }

  #updateOf(emission: ArtifactEmission, parts: readonly Part[]): TaskArtifactUpdateEvent {
    const { name, append, lastChunk, description, metadata, extensions } = emission;
    // The id is the same at every attempt. Members are set one by one: spreads would double the price of a chunk.
    const artifact: Writable<Artifact> = { artifactId: name, name, parts };
    if (description !== undefined) artifact.description = description;
    if (metadata !== undefined) artifact.metadata = metadata;
    if (extensions !== undefined) artifact.extensions = extensions;
    const { id: taskId, contextId } = this.#task.record;
    const update: Writable<TaskArtifactUpdateEvent> = { taskId, contextId, artifact };
    // Some readers drop what is appended to nothing, so the first piece begins it whatever its author called it.
    if (append && this.#begun.has(name)) update.append = true;
    if (lastChunk) update.lastChunk = true;
    if (this.#marks !== undefined) update.metadata = this.#marks;
    return update;
  }

  #ids(): { readonly taskId: string; readonly contextId: string } {
    const { id, contextId } = this.#task.record;
    return { taskId: id, contextId };
  }

  #assertOutput(bytes: number): void {
    const { maxOutputBytes } = this.#agent.limits;
    if (bytes > maxOutputBytes)
      throw new RangeError(`One output may have ${maxOutputBytes} bytes, this has ${bytes}: give it in pieces`);
  }

  /** Not for what an earlier attempt has said: that is counted already. */
  #assertRoom(bytes: number): void {
    const { maxTaskBytes } = this.#agent.limits;
    if (this.#writer.outputBytes + bytes > maxTaskBytes)
      throw new RangeError(`All outputs of a task together may have ${maxTaskBytes} bytes`);
  }
}

export interface OutputTools {
  readonly log: Log;
  readonly clock: Clock;
  readonly newId: () => string;
}
