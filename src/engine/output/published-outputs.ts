import type { Artifact } from '../../model/artifact.ts';
import type { ArtifactFold } from '../../model/artifact-fold.ts';
import type { StreamResponse, TaskArtifactUpdateEvent } from '../../model/event.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Part } from '../../model/part.ts';
import { isPaused } from '../../model/state.ts';
import type { JournalEntry, TaskEvent, TaskRecord } from '../../store/store.ts';
import type { StepOptions } from '../handler.ts';
import { artifactEvent, artifactUpdateOf } from '../replay/event-body.ts';
import type { Journal, JournalKind } from '../replay/journal.ts';
import { OutputTrail, type PublishedOutput } from './output-trail.ts';
import {
  addPlace,
  type CorrectionRecord,
  type OutputKind,
  type OutputSource,
  type Places,
  placesIn,
  type Ranges,
  rangesOf,
  type RecordedOutputs,
  stepOf,
  StepOutputs,
  type StepRecord,
} from './step-outputs.ts';
import { eventMetadata } from '../task-trace.ts';

export type Verdict =
  /** It is already published. */
  | 'known'
  /** No output is expected, so it is new. */
  | 'new'
  /** Another output is expected. */
  | 'different';

/** An event with the whole corrected artifact, and its journal entry. */
export interface Correction {
  readonly artifact: Artifact;
  readonly note: JournalEntry;
}

/**
 * The output that a handler has published in its turn, and how this attempt compares with it.
 *
 * - Output that an earlier attempt published outside of steps, or in a step that is not recorded, is expected again, in the
 * same order for each artifact. If this attempt emits something else, all output that is still expected for that artifact
 * is dropped, the new output replaces it, and one event contains the corrected artifact. Published events are never
 * removed.
 * - Output that a recorded step has published through its own context stays and is not expected again.
 * - Output that was published through the context of the task during a recorded step may or may not belong to the step. It
 * stays; if the same is emitted again while steps are in flight, it is not published twice.
 * - Output that a step names as coming again from its result is expected, wherever it comes. If it may belong to another step,
 * it is optional.
 * - A retry of a step is compared with the output of its failed attempts in the same way.
 */
export class PublishedOutputs {
  /** The current artifacts. */
  readonly #current: ArtifactFold;
  #artifactPlaces = 0;
  #statusPlaces = 0;
  /** Trails by artifact id, only for artifacts that have to be compared or may have to be corrected. */
  #artifacts: Map<string, OutputTrail> | undefined;
  #statuses: OutputTrail | undefined;
  /** The outputs of the log, by place. */
  #logged: Readonly<Record<OutputKind, PublishedOutput[]>> | undefined;
  /** The number of steps that were called and whose results the handler does not have yet. */
  #inFlight = 0;
  /** The number of them whose functions run. */
  #performing = 0;
  #retryable = 0;
  /** Output of unknown code since a step is in flight. */
  #loose: PublishedOutput[] = NO_OUTPUTS;
  #isOutdated = false;

  constructor(current: ArtifactFold) {
    this.#current = current;
  }

  /**
   * @param before The artifacts at the start of the turn.
   * @param events The events since then.
   */
  static fromLog(
    current: ArtifactFold,
    before: readonly Artifact[],
    events: readonly TaskEvent[],
    journal: Journal,
    record: Pick<TaskRecord, 'origin'>,
  ): PublishedOutputs {
    const published = new PublishedOutputs(current);
    published.#load(before, events, journal, record);
    return published;
  }

  /** Whether there is output, and a step that was recorded by a version that did not record the output of steps. */
  get isOutdated(): boolean {
    return this.#isOutdated;
  }

  /** Whether steps were called whose results the handler does not have yet. */
  get hasStepsInFlight(): boolean {
    return this.#inFlight > 0;
  }

  /** @param isAppend Whether the chunk is appended to the artifact instead of replacing it. */
  compareArtifact(update: TaskArtifactUpdateEvent, body: string, isAppend: boolean, source: OutputSource): Verdict {
    const trail = this.#artifacts?.get(update.artifact.artifactId);
    if (trail === undefined) return 'new';
    const asFirst = isAppend ? (): string => firstChunk(update) : undefined;
    const match = trail.match(body, asFirst, stepOf(source), this.#inFlight > 0);
    // Output of a recorded step must not be replaced before the step is called.
    if (match === 'new') return !isAppend && trail.isAhead ? 'different' : 'new';
    if (match === 'different') return match;
    this.#attribute(match, source);
    return 'known';
  }

  /** Adds a new chunk before it is published. */
  addArtifact(update: TaskArtifactUpdateEvent, given: string, source: OutputSource): void {
    const place = ++this.#artifactPlaces;
    if (this.#artifacts === undefined && this.#inFlight === 0) return;
    const { artifactId } = update.artifact;
    const trail = this.#artifacts?.get(artifactId) ?? this.#track(artifactId);
    const body = trail === undefined ? '' : given;
    const isReplacement = update.append !== true && this.#current.has(artifactId);
    const output = outputOf({ kind: 'artifact', place, body, trail, owner: stepOf(source), isReplacement });
    if (trail !== undefined && (this.#retryable > 0 || trail.isNeeded)) trail.push(output);
    else if (trail !== undefined) this.#forget(artifactId);
    this.#attribute(output, source);
  }

  /** Replaces the expected chunks by another one. */
  correctArtifact(update: TaskArtifactUpdateEvent, body: string, source: OutputSource): Correction | undefined {
    const trail = this.#artifacts?.get(update.artifact.artifactId);
    if (trail === undefined) return undefined;
    const step = stepOf(source);
    const place = ++this.#artifactPlaces;
    const isReplacement = update.append !== true;
    const output = outputOf({ kind: 'artifact', place, body, trail, owner: step, update, isReplacement });
    const { dropped, before } = trail.replaceExpected(output, step);
    this.#attribute(output, source);
    return correctionOf(trail, output.place, {
      drop: placesOf(dropped),
      update: update as unknown as JsonObject,
      ...(before !== undefined && { before }),
    });
  }

  /** Compares a status. Returns the places of the statuses that it replaces, if another one was expected. */
  compareStatus(content: () => string, source: OutputSource): 'known' | 'new' | Ranges {
    const trail = this.#statuses;
    if (trail === undefined) return 'new';
    const step = stepOf(source);
    const match = trail.match(content(), undefined, step, this.#inFlight > 0);
    if (match === 'new') return match;
    if (match === 'different') return placesOf(trail.dropExpected(step));
    this.#attribute(match, source);
    return 'known';
  }

  /**
   * Returns whether a status that a recorded step had to hold back is published. If it is loose, it may be emitted again.
   */
  recallStatus(content: string, isLoose: boolean): boolean {
    const output = this.#statuses?.takeAnywhere(content);
    if (output !== undefined && isLoose) this.#statuses?.open(output);
    return output !== undefined;
  }

  /**
   * Adds a status that is published now.
   *
   * @param drop The places of the statuses that it replaces.
   * @param isRepeatable Whether it may be emitted again while steps are in flight.
   * @returns the journal entry, if any.
   */
  addStatus(
    content: () => string,
    source: OutputSource,
    { drop, isRepeatable }: { readonly drop: Ranges | undefined; readonly isRepeatable: boolean },
  ): JournalEntry | undefined {
    const place = ++this.#statusPlaces;
    if (this.#retryable === 0 && this.#statuses?.isNeeded !== true && !isRepeatable) this.#statuses = undefined;
    else this.#statuses ??= new OutputTrail();
    const trail = this.#statuses;
    const output = outputOf({
      kind: 'status',
      place,
      body: trail === undefined ? '' : content(),
      trail,
      owner: stepOf(source),
    });
    trail?.push(output);
    if (isRepeatable) trail?.open(output);
    this.#attribute(output, source);
    return drop === undefined ? undefined : noteOf('status', place, { drop });
  }

  /** Called at the end of a turn. Returns the artifacts without the output that this attempt has not emitted again. */
  shorten(): readonly Correction[] {
    if (this.#artifacts === undefined || this.#isOutdated) return [];
    return [...this.#artifacts.values()].flatMap((trail) => this.#correctionWithout(trail, trail.dropMissing()));
  }

  /** Called before the function of a step. */
  beginStep(isRetryable: boolean, repeats?: StepOptions['repeats']): StepOutputs {
    this.#inFlight++;
    this.#performing++;
    if (isRetryable) this.#retryable++;
    return new StepOutputs(isRetryable, repeats, this.#loose.length);
  }

  /** Called before a retry of a step, which is compared with the output of the step so far. */
  failAttempt(step: StepOutputs): void {
    step.own = undefined;
    for (const trail of this.#trails()) trail.expectAgain(step);
    for (const output of this.#loose.slice(step.attemptFrom)) output.trail?.open(output);
    step.attemptFrom = this.#loose.length;
  }

  /**
   * Called when a step has a result. Returns the artifacts without the output that only its failed attempts have published.
   */
  completeStep(step: StepOutputs): readonly Correction[] {
    if (!step.isRetryable) return [];
    this.#statuses?.dropRetried(step);
    const artifacts = [...(this.#artifacts?.values() ?? [])];
    return artifacts.flatMap((trail) => this.#correctionWithout(trail, trail.dropRetried(step)));
  }

  /** Ends the output of a step. Returns it for the record of the step. */
  recordOf(step: StepOutputs): RecordedOutputs {
    this.#performing--;
    if (step.isRetryable) this.#endRetries(step);
    const beside = this.#loose.slice(step.from);
    const { own, repeats } = step;
    if (beside.length === 0) return own === undefined ? NOTHING : { own };
    const again = repeats === 'yields' ? beside.filter(({ isYielded }) => isYielded) : beside;
    return {
      ...(own !== undefined && { own }),
      ...(repeats !== 'all' && { loose: placesByKind(beside) }),
      ...(repeats !== undefined && again.length > 0 && { again: placesByKind(again) }),
    };
  }

  /** Called for a recorded step. Output that was published beside it may be emitted again until no step is in flight. */
  recallStep({ own, loose }: RecordedOutputs = NOTHING): void {
    this.#inFlight++;
    if (this.#logged === undefined) return;
    for (const places of [own, loose]) for (const output of this.#loggedAt(places)) output.trail?.reach(output);
  }

  /** Called before the handler gets the result of a step. */
  endStep(): void {
    this.#inFlight--;
    if (this.#inFlight > 0) return;
    if (this.#artifacts !== undefined || this.#statuses !== undefined)
      for (const trail of this.#trails()) trail.close();
    this.#loose = NO_OUTPUTS;
  }

  #load(
    before: readonly Artifact[],
    events: readonly TaskEvent[],
    journal: Journal,
    record: Pick<TaskRecord, 'origin'>,
  ): void {
    const corrections = new Map(
      Array.from(journal.entriesOf('correction'), ({ key, body }) => [key, body as unknown as CorrectionRecord]),
    );
    const bases = new Map(before.map((artifact) => [artifact.artifactId, artifact]));
    const ownContent = statusContent([], eventMetadata(record, undefined));
    for (const event of events) {
      if (event.kind === 'artifact') this.#loadArtifact(event, bases, corrections);
      else if (event.kind === 'status') this.#loadStatus(event, ownContent, corrections);
    }
    const steps = Array.from(journal.entriesOf('step'), ({ body }) => body as StepRecord);
    this.#isOutdated = this.#trails().length > 0 && steps.some(({ outputs }) => outputs === undefined);
    if (this.#isOutdated) for (const trail of this.#trails()) trail.beLenient();
    for (const { outputs } of steps)
      for (const output of this.#loggedAt(outputs?.own))
        if (output.state === 'expected') output.trail?.label(output, 'kept');
    const again = new Set(steps.flatMap(({ outputs }) => [...this.#loggedAt(outputs?.again)]));
    for (const { outputs } of steps) {
      for (const output of this.#loggedAt(outputs?.loose)) {
        if (again.has(output)) output.isOptional = true;
        else if (output.state === 'expected') output.trail?.label(output, 'loose');
      }
    }
  }

  /** The outputs of the log at these places. */
  *#loggedAt(places: Places | undefined): Generator<PublishedOutput> {
    if (places === undefined || this.#logged === undefined) return;
    const { artifact, status } = this.#logged;
    for (const place of placesIn(places.artifacts)) if (artifact[place] !== undefined) yield artifact[place];
    for (const place of placesIn(places.statuses)) if (status[place] !== undefined) yield status[place];
  }

  #loadArtifact(
    { body }: TaskEvent,
    bases: ReadonlyMap<string, Artifact>,
    corrections: ReadonlyMap<string, CorrectionRecord>,
  ): void {
    const {
      append,
      artifact: { artifactId },
    } = artifactUpdateOf({ body });
    this.#artifacts ??= new Map();
    const trail = this.#artifacts.get(artifactId) ?? new OutputTrail(bases.get(artifactId));
    this.#artifacts.set(artifactId, trail);
    const place = ++this.#artifactPlaces;
    const correction = corrections.get(keyOf('artifact', place));
    if (correction === undefined) {
      const isReplacement = append !== true && !trail.isEmpty;
      trail.push(this.#logOutput({ kind: 'artifact', place, body, trail, isReplacement }));
      return;
    }
    trail.drop(new Set(placesIn(correction.drop)));
    // Of an event with the whole artifact, only the chunk that caused it is an output.
    if (correction.update === undefined) return;
    const update = correction.update as unknown as TaskArtifactUpdateEvent;
    const isReplacement = update.append !== true;
    const output = this.#logOutput({
      kind: 'artifact',
      place,
      body: artifactEvent(update).body,
      trail,
      update,
      isReplacement,
    });
    trail.insert(output, correction.before);
  }

  #loadStatus(event: TaskEvent, ownContent: string, corrections: ReadonlyMap<string, CorrectionRecord>): void {
    const content = contentOf(event);
    if (content === undefined || content === ownContent) return;
    this.#statuses ??= new OutputTrail();
    const place = ++this.#statusPlaces;
    this.#statuses.drop(new Set(placesIn(corrections.get(keyOf('status', place))?.drop)));
    this.#statuses.push(this.#logOutput({ kind: 'status', place, body: content, trail: this.#statuses }));
  }

  #logOutput(fields: OutputFields): PublishedOutput {
    const output = outputOf({ ...fields, state: 'expected' });
    this.#logged ??= { artifact: [], status: [] };
    this.#logged[output.kind][output.place] = output;
    return output;
  }

  #trails(): readonly OutputTrail[] {
    const artifacts = this.#artifacts === undefined ? [] : [...this.#artifacts.values()];
    return this.#statuses === undefined ? artifacts : [...artifacts, this.#statuses];
  }

  /** Tracks an artifact from now on, if a step may have to replace its own output. */
  #track(artifactId: string): OutputTrail | undefined {
    if (this.#retryable === 0) return undefined;
    const trail = new OutputTrail(this.#current.get(artifactId));
    this.#artifacts ??= new Map();
    this.#artifacts.set(artifactId, trail);
    return trail;
  }

  #forget(artifactId: string): void {
    this.#artifacts?.delete(artifactId);
    if (this.#artifacts?.size === 0) this.#artifacts = undefined;
  }

  /** Output that only failed attempts have published and that could not be removed still belongs to the step. */
  #endRetries(step: StepOutputs): void {
    this.#retryable--;
    for (const trail of this.#artifacts?.values() ?? [])
      for (const { place } of trail.endRetries(step)) step.add('artifact', place);
    for (const { place } of this.#statuses?.endRetries(step) ?? []) step.add('status', place);
    if (this.#retryable > 0) return;
    for (const [artifactId, trail] of this.#artifacts ?? []) if (!trail.isNeeded) this.#forget(artifactId);
  }

  /** Attributes an output to the step that emitted it or, if none did, to all steps whose functions run. */
  #attribute(output: PublishedOutput, source: OutputSource): void {
    const step = stepOf(source);
    if (step !== undefined) {
      step.add(output.kind, output.place);
    } else if (this.#performing > 0) {
      output.isYielded = source === 'yield';
      if (this.#loose === NO_OUTPUTS) this.#loose = [];
      this.#loose.push(output);
    }
  }

  #correctionWithout(trail: OutputTrail, dropped: readonly PublishedOutput[]): readonly Correction[] {
    if (dropped.length === 0) return [];
    const correction = correctionOf(trail, ++this.#artifactPlaces, { drop: placesOf(dropped) });
    return correction === undefined ? [] : [correction];
  }
}

const NOTHING: RecordedOutputs = {};
/** Shared by all runs without such output, and never modified. */
const NO_OUTPUTS: PublishedOutput[] = [];

type OutputFields = Pick<PublishedOutput, 'kind' | 'place' | 'body' | 'trail'> & Partial<PublishedOutput>;

/** An output of this attempt, unless specified otherwise. */
function outputOf(fields: OutputFields): PublishedOutput {
  return { update: undefined, isReplacement: false, state: 'kept', ...FLAGS, owner: undefined, ...fields };
}

const FLAGS = { isYielded: false, isOptional: false, isAhead: false } as const;

function placesOf(outputs: readonly PublishedOutput[]): Ranges {
  return rangesOf(outputs.map(({ place }) => place));
}

/** An output can occur twice if it was emitted again. */
function placesByKind(outputs: readonly PublishedOutput[]): Places {
  const artifacts: number[] = [];
  const statuses: number[] = [];
  for (const { kind, place } of new Set(outputs)) addPlace(kind === 'artifact' ? artifacts : statuses, place);
  return { ...(artifacts.length > 0 && { artifacts }), ...(statuses.length > 0 && { statuses }) };
}

function keyOf(kind: OutputKind, place: number): string {
  return `${kind} ${place}`;
}

function noteOf(kind: OutputKind, place: number, record: CorrectionRecord): JournalEntry {
  return { kind: 'correction' satisfies JournalKind, key: keyOf(kind, place), body: record as unknown as JsonObject };
}

function correctionOf(trail: OutputTrail, place: number, record: CorrectionRecord): Correction | undefined {
  const artifact = trail.artifact();
  return artifact && { artifact, note: noteOf('artifact', place, record) };
}

/** The event of a chunk if it were the first of its artifact. */
function firstChunk({ append: _, ...update }: TaskArtifactUpdateEvent): string {
  return artifactEvent(update).body;
}

/** The content of a status without its time and ids. `undefined` for questions, which are in the journal. */
function contentOf({ body }: TaskEvent): string | undefined {
  const event = JSON.parse(body) as StreamResponse;
  if (!('statusUpdate' in event)) return undefined;
  const { status, metadata } = event.statusUpdate;
  return isPaused(status.state) ? undefined : statusContent(status.message?.parts ?? [], metadata);
}

/** The text by which equal statuses are recognised. */
export function statusContent(parts: readonly Part[], metadata: JsonObject | undefined): string {
  return JSON.stringify([parts, metadata]);
}
