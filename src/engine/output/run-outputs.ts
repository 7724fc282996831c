import type { Artifact } from '../../model/artifact.ts';
import type { TaskArtifactUpdateEvent } from '../../model/event.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Message } from '../../model/message.ts';
import { mediaTypeOf, type Part } from '../../model/part.ts';
import type { TaskState } from '../../model/state.ts';
import type { TaskStatus } from '../../model/task.ts';
import type { Writable } from '../../support/writable.ts';
import type { EngineContext } from '../engine-context.ts';
import type { StepOptions } from '../handler.ts';
import { artifactEvent } from '../replay/event-body.ts';
import type { LoadedTask } from '../replay/load-task.ts';
import type { Emission } from './output.ts';
import { type Correction, type PublishedOutputs, statusContent } from './published-outputs.ts';
import type { Runnable } from '../runnable.ts';
import { timeAfter } from '../write/status-time.ts';
import {
  type HeldStatus,
  type OutputSource,
  type Ranges,
  type RecordedOutputs,
  stepOf,
  type StepOutputs,
} from './step-outputs.ts';
import { eventMetadata, taskFields, traceMarks } from '../task-trace.ts';
import type { TaskWriter } from '../write/task-writer.ts';

type ArtifactEmission = Extract<Emission, { kind: 'artifact' }>;

/** A status that is held back, because it would hide the open question. */
interface WaitingStatus extends HeldStatus {
  readonly number: number;
  readonly bytes: number;
  /** The places of the statuses that it replaces. */
  readonly drop: Ranges | undefined;
  source: OutputSource;
  /** Whether it may be emitted again while steps are in flight; then it is the same status. */
  isRepeatable: boolean;
}

/** How an artifact was published: in one chunk with `lastChunk`, in one chunk without it, or in several chunks. */
type ArtifactForm = 'closed' | 'open' | 'chunks';

/** Shared by all runs that do not record forms, and never modified. */
const NO_FORMS = new Map<string, ArtifactForm>();

/** The maximum number of checked types per agent, because handlers may pass on types that callers made up. */
const MAX_CHECKED_TYPES = 1000;

/** The media types that each agent has published in this process. */
const checkedTypes = new WeakMap<Runnable, Set<string>>();

function checkedTypesOf(agent: Runnable): Set<string> {
  let types = checkedTypes.get(agent);
  if (types === undefined) checkedTypes.set(agent, (types = new Set()));
  return types;
}

/** Turns the output of a handler into events, unless it is already published. */
export class RunOutputs {
  readonly #engine: EngineContext;
  readonly #task: LoadedTask;
  readonly #agent: Runnable;
  readonly #writer: TaskWriter;
  readonly #marks: JsonObject | undefined;
  readonly #checked: Set<string>;
  /** The forms of the artifacts of this run. Recorded only if artifacts are closed with a whole. */
  readonly #forms: Map<string, ArtifactForm> = NO_FORMS;
  readonly #published: PublishedOutputs;
  #held: WaitingStatus[] = [];
  #heldSoFar = 0;
  #heldBytes = 0;
  #originBytes: number | undefined;

  constructor(engine: EngineContext, task: LoadedTask, agent: Runnable, writer: TaskWriter) {
    this.#engine = engine;
    if (engine.closesWithWhole) this.#forms = new Map();
    this.#task = task;
    this.#marks = traceMarks(task.record);
    this.#published = task.published;
    this.#agent = agent;
    this.#checked = checkedTypesOf(agent);
    this.#writer = writer;
  }

  /** The approximate size of the task in memory: its request and its output. */
  get heldBytes(): number {
    this.#originBytes ??= JSON.stringify(this.#task.origin).length;
    return this.#originBytes + this.#writer.conversation.bytes + this.#writer.outputBytes + this.#heldBytes;
  }

  /** Publishes the status `working`, unless it was published. */
  begin(): void {
    // A pending question is more specific.
    if (this.#writer.isAsking) return;
    if (this.#writer.status.state === 'TASK_STATE_SUBMITTED') this.#writer.setStatus(this.status('TASK_STATE_WORKING'));
  }

  working(parts: readonly Part[], metadata: JsonObject | undefined, source?: OutputSource): void {
    // A status without content adds nothing to the current status.
    if (parts.length === 0 && (metadata === undefined || Object.keys(metadata).length === 0)) {
      this.begin();
      return;
    }
    const bytes = this.assertSize(parts, metadata);
    if (stepOf(source) === undefined && this.#isHeldAlready(parts, metadata)) return;
    const verdict = this.#published.compareStatus(() => this.#contentOf(parts, metadata), source);
    if (verdict === 'known') return;
    this.#assertRoom(bytes + this.#heldBytes);
    this.#hold({ parts, metadata, bytes, source, drop: verdict === 'new' ? undefined : verdict, isRepeatable: false });
  }

  #hold({
    metadata,
    ...status
  }: Omit<WaitingStatus, 'number' | 'metadata'> & { metadata: JsonObject | undefined }): void {
    this.#held.push({ ...status, ...(metadata !== undefined && { metadata }), number: ++this.#heldSoFar });
    this.#heldBytes += status.bytes;
    if (!this.#writer.isAsking) this.publishHeld();
  }

  #isHeldAlready(parts: readonly Part[], metadata: JsonObject | undefined): boolean {
    if (!this.#held.some(({ isRepeatable }) => isRepeatable)) return false;
    const content = this.#contentOf(parts, metadata);
    const held = this.#held.find((one) => one.isRepeatable && this.#contentOf(one.parts, one.metadata) === content);
    if (held !== undefined) held.isRepeatable = false;
    return held !== undefined;
  }

  /**
   * Publishes statuses that were held back, after the open question was answered or when the turn ends without an answer.
   */
  publishHeld(): void {
    if (this.#held.length === 0) return;
    this.#heldBytes = 0;
    for (const status of this.#held.splice(0)) {
      const { parts, metadata, source } = status;
      const note = this.#published.addStatus(() => this.#contentOf(parts, metadata), source, status);
      if (note !== undefined) this.#writer.addJournal(note);
      this.#writer.setStatus(this.status('TASK_STATE_WORKING', parts), metadata);
    }
  }

  artifact(emission: ArtifactEmission, source?: OutputSource): void {
    this.#checkTypes(emission.parts);
    const update = this.#updateOf(emission);
    if (this.#engine.closesWithWhole) this.#noteForm(update);
    const event = artifactEvent(update);
    const { body } = event;
    this.#assertOutput(body.length);
    switch (this.#published.compareArtifact(update, body, emission.append, source)) {
      case 'known':
        return;
      case 'different':
        if (stepOf(source)?.isRetryable === true)
          this.#assertRoom(body.length + this.#sizeOf(update.artifact.artifactId));
        this.#correct(this.#published.correctArtifact(update, body, source), emission.lastChunk);
        return;
      default:
        this.#assertRoom(body.length);
        this.begin();
        this.#published.addArtifact(update, body, source);
        this.#writer.addArtifact(update, event);
    }
  }

  /** Called before the function of a step. Output through the context of the step belongs to it. */
  beginStep(isRetryable: boolean, repeats: StepOptions['repeats']): StepOutputs {
    const step = this.#published.beginStep(isRetryable, repeats);
    step.heldFrom = this.#heldSoFar;
    return step;
  }

  /** Called before a retry of a step. Its held statuses are dropped, because the next attempt emits them again. */
  failAttempt(step: StepOutputs): void {
    this.#held = this.#held.filter(({ source }) => source !== step);
    this.#heldBytes = this.#held.reduce((sum, { bytes }) => sum + bytes, 0);
    for (const status of this.#heldBeside(step)) status.isRepeatable = true;
    this.#published.failAttempt(step);
  }

  /** Called when a step has a result. Removes output that only its failed attempts have published. */
  completeStep(step: StepOutputs): void {
    for (const correction of this.#published.completeStep(step)) this.#correct(correction, false);
  }

  /** Ends the output of a step. Returns it for the record of the step, with statuses that cannot be published yet. */
  recordOf(step: StepOutputs): RecordedOutputs {
    const outputs = this.#published.recordOf(step);
    if (this.#held.length === 0) return outputs;
    const own = this.#held.filter(({ source }) => source === step);
    const held = [
      ...own.map(heldStatus),
      ...this.#heldBeside(step)
        .filter((status) => !comesAgain(status, step))
        .map((one) => ({ ...heldStatus(one), isLoose: true as const })),
    ];
    for (const status of own) status.source = undefined;
    return held.length === 0 ? outputs : { ...outputs, held };
  }

  /** Called for a recorded step. */
  recallStep(outputs: RecordedOutputs | undefined): void {
    this.#published.recallStep(outputs);
    for (const { parts, metadata, isLoose = false } of outputs?.held ?? []) {
      if (this.#published.recallStatus(this.#contentOf(parts, metadata), isLoose)) continue;
      const bytes = JSON.stringify([parts, metadata]).length;
      this.#hold({ parts, metadata, bytes, source: undefined, drop: undefined, isRepeatable: isLoose });
    }
  }

  /** Called before the handler gets the result of a step. */
  endStep(): void {
    this.#published.endStep();
    if (this.#held.length === 0 || this.#published.hasStepsInFlight) return;
    for (const status of this.#held) status.isRepeatable = false;
  }

  /** Held statuses of unknown code since a step began. */
  #heldBeside({ heldFrom }: StepOutputs): readonly WaitingStatus[] {
    return this.#held.filter(({ source, number }) => stepOf(source) === undefined && number > heldFrom);
  }

  /** Checks the size of a status, reply or question. Returns it. */
  assertSize(parts: readonly Part[], metadata?: JsonObject): number {
    const bytes = JSON.stringify([parts, metadata]).length;
    this.#assertOutput(bytes);
    return bytes;
  }

  /** Called at the end of a turn. Removes output that this attempt has not emitted again. */
  shorten(): void {
    for (const correction of this.#published.shorten()) this.#correct(correction, true);
  }

  /** Called when the handler has returned: no chunk follows. */
  closeArtifacts(): void {
    if (this.#engine.closesWithWhole) this.#addWholes();
    this.#writer.closeArtifacts();
  }

  /**
   * Publishes each artifact once more as a whole, unless that would exceed a limit. An artifact of one chunk needs no
   * repeat if the chunk has `lastChunk`, or is not written yet and gets it.
   */
  #addWholes(): void {
    const { maxOutputBytes, maxTaskBytes } = this.#agent.limits;
    for (const artifact of this.#writer.artifacts.artifacts()) {
      const form = this.#forms.get(artifact.artifactId);
      if (form === 'closed' || (form === 'open' && this.#writer.canClose(artifact.artifactId))) continue;
      const update = this.#whole(artifact, true);
      const event = artifactEvent(update);
      const bytes = event.body.length;
      if (bytes > maxOutputBytes || this.#writer.outputBytes + bytes > maxTaskBytes) continue;
      this.#writer.addArtifact(update, event);
    }
  }

  #noteForm({ artifact: { artifactId }, append, lastChunk }: TaskArtifactUpdateEvent): void {
    this.#forms.set(artifactId, append === true ? 'chunks' : lastChunk === true ? 'closed' : 'open');
  }

  status(state: TaskState, parts: readonly Part[] = []): TaskStatus {
    const timestamp = timeAfter(this.#writer.status, this.#engine.clock.now());
    return parts.length === 0 ? { state, timestamp } : { state, message: this.message(parts), timestamp };
  }

  message(parts: readonly Part[]): Message {
    return { messageId: this.#engine.newId(), ...this.#ids(), role: 'ROLE_AGENT', parts };
  }

  /** Logs a warning, once per type, for output of a type that the agent does not declare. It is delivered anyway. */
  #checkTypes(parts: readonly Part[]): void {
    for (const part of parts) {
      const mediaType = mediaTypeOf(part);
      // The type of a file without a media type is unknown.
      if (mediaType === undefined || this.#checked.has(mediaType)) continue;
      if (this.#checked.size >= MAX_CHECKED_TYPES) return;
      this.#checked.add(mediaType);
      if (this.#agent.declaresOutput?.(mediaType) !== false) continue;
      this.#engine.log.warn('Output type is not declared: add it to outputModes of the agent', {
        ...taskFields(this.#task.record),
        mediaType,
      });
    }
  }

  #correct(correction: Correction | undefined, lastChunk: boolean): void {
    if (correction === undefined) return;
    this.#writer.addJournal(correction.note);
    this.#writer.addArtifact(this.#whole(correction.artifact, lastChunk));
  }

  #contentOf(parts: readonly Part[], metadata: JsonObject | undefined): string {
    return statusContent(parts, eventMetadata(this.#task.record, metadata));
  }

  #sizeOf(artifactId: string): number {
    return JSON.stringify(this.#writer.artifacts.get(artifactId)).length;
  }

  /** An event with the whole artifact, which replaces all chunks. */
  #whole(artifact: Artifact, lastChunk: boolean): TaskArtifactUpdateEvent {
    const update: Writable<TaskArtifactUpdateEvent> = { ...this.#ids(), artifact };
    if (lastChunk) update.lastChunk = true;
    if (this.#marks !== undefined) update.metadata = this.#marks;
    return update;
  }

  #updateOf(emission: ArtifactEmission): TaskArtifactUpdateEvent {
    const { name, parts, append, lastChunk, description, metadata, extensions } = emission;
    // The id is the same at every attempt. Members are set one by one, because spreads would double the cost of a chunk.
    const artifact: Writable<Artifact> = { artifactId: name, name, parts };
    if (description !== undefined) artifact.description = description;
    if (metadata !== undefined) artifact.metadata = metadata;
    if (extensions !== undefined) artifact.extensions = extensions;
    const { id: taskId, contextId } = this.#task.record;
    const update: Writable<TaskArtifactUpdateEvent> = { taskId, contextId, artifact };
    // Some clients drop chunks that are appended to an unknown artifact, so the first chunk always creates it.
    if (append && this.#writer.artifacts.has(name)) update.append = true;
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
      throw new RangeError(`An output may have at most ${maxOutputBytes} bytes, got ${bytes}: publish it in chunks`);
  }

  /** Not for output of an earlier attempt, which is already counted. */
  #assertRoom(bytes: number): void {
    this.#writer.assertMemory();
    const { maxTaskBytes } = this.#agent.limits;
    if (this.#writer.outputBytes + bytes > maxTaskBytes)
      throw new RangeError(`The outputs of a task may have at most ${maxTaskBytes} bytes in total`);
  }
}

function comesAgain({ source }: WaitingStatus, { repeats }: StepOutputs): boolean {
  return repeats === 'all' || (repeats === 'yields' && source === 'yield');
}

function heldStatus({ parts, metadata }: WaitingStatus): HeldStatus {
  return metadata === undefined ? { parts } : { parts, metadata };
}
