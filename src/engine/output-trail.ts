import type { Artifact } from '../model/artifact.ts';
import { ArtifactFold } from '../model/artifact-fold.ts';
import type { TaskArtifactUpdateEvent } from '../model/event.ts';
import { artifactUpdateOf } from './event-body.ts';
import type { OutputKind, StepOutputs } from './step-outputs.ts';

/** One output that was published in this turn. */
export interface PublishedOutput {
  readonly kind: OutputKind;
  /** It is the n-th of its kind in the turn. */
  readonly place: number;
  /** Absent if nothing will have to be compared with it. */
  readonly trail: OutputTrail | undefined;
  /** What is compared: the event of an artifact, the content of a status. */
  readonly body: string;
  /** The chunk, if the event shows the whole artifact and not only the chunk. */
  readonly update: TaskArtifactUpdateEvent | undefined;
  /** It takes the place of everything that its artifact had before. Not the first chunk, which had nothing before it. */
  readonly isReplacement: boolean;
  state: OutputState;
  /** It was published while a recorded step ran, which this attempt has not called yet. */
  isAhead: boolean;
  /** The step of this attempt that published it, or emitted it again. */
  owner: StepOutputs | undefined;
}

/**
 * - `expected`: this attempt has to emit it again.
 * - `kept`: a recorded step has published it, or this attempt has emitted it again.
 * - `loose`: published while a recorded step ran, by unknown code. It stays, whether or not it is emitted again.
 * - `dropped`: corrected. It counts no more.
 */
export type OutputState = 'expected' | 'kept' | 'loose' | 'dropped';

/** The outputs of one artifact, or all statuses, in the order of the log. */
export class OutputTrail {
  readonly #base: Artifact | undefined;
  readonly #outputs: PublishedOutput[] = [];
  /** Nothing before it is expected. */
  #cursor = 0;
  /** What failed attempts have published and the present ones have not, by step: the next one last. */
  #retried: Map<StepOutputs, PublishedOutput[]> | undefined;
  /** Loose outputs that may be emitted again while steps are in flight, by what they say. */
  #open: Map<string, Set<PublishedOutput>> | undefined;
  /** Those of them that may not any more when no step is in flight: their steps were called. */
  readonly #closing: PublishedOutput[] = [];
  /** How many outputs are ahead of this attempt. */
  #ahead = 0;
  #isLenient = false;

  /** @param base The artifact before the first of these outputs. */
  constructor(base?: Artifact) {
    this.#base = base;
  }

  /** It has no outputs, and its artifact was not there before. */
  get isEmpty(): boolean {
    return this.#base === undefined && this.#outputs.length === 0;
  }

  /** Something may still have to be compared with it. */
  get isNeeded(): boolean {
    if (this.#nextExpected() !== undefined || this.isAhead) return true;
    return this.#open !== undefined || this.#retried !== undefined;
  }

  /** Recorded steps that this attempt has not called yet have published something of it. */
  get isAhead(): boolean {
    return this.#ahead > 0;
  }

  push(output: PublishedOutput): void {
    if (output.isReplacement) this.#closeBefore(undefined);
    this.#outputs.push(output);
  }

  /** Inserts an output before the one at a place, or at the end. */
  insert(output: PublishedOutput, before: number | undefined): void {
    const index = this.#outputs.findIndex(({ place }) => place === before);
    this.#outputs.splice(index < 0 ? this.#outputs.length : index, 0, output);
  }

  drop(places: ReadonlySet<number>): void {
    for (const output of this.#outputs) if (places.has(output.place)) output.state = 'dropped';
  }

  /** Takes in what the records of steps say of an output of the log. */
  label(output: PublishedOutput, state: 'kept' | 'loose'): void {
    output.state = state;
    output.isAhead = true;
    this.#ahead++;
    if (state === 'loose') this.#add(output);
  }

  /** The step is called in whose time an output was published. */
  reach(output: PublishedOutput): void {
    if (!output.isAhead) return;
    output.isAhead = false;
    this.#ahead--;
    if (output.state === 'loose') this.#closing.push(output);
  }

  /** From now on outputs that are expected may be left out: recorded steps may have published them. */
  beLenient(): void {
    this.#isLenient = true;
  }

  /**
   * Compares what is emitted with what is expected of this step or, if nothing is, of this attempt.
   *
   * @param asFirst What `body` would be for the first chunk of an artifact.
   * @param isBeside Whether steps are in flight: then loose outputs may come again.
   */
  match(
    body: string,
    asFirst: (() => string) | undefined,
    step: StepOutputs | undefined,
    isBeside: boolean,
  ): PublishedOutput | 'new' | 'different' {
    const retried = this.#retriedOf(step);
    const expected = retried?.at(-1) ?? this.#nextExpected();
    if (expected !== undefined && this.#isSame(expected, body, asFirst)) return this.#take(expected, step);
    const loose = isBeside && this.#open ? (this.#takeOpen(body) ?? (asFirst && this.#takeOpen(asFirst()))) : undefined;
    if (loose !== undefined) return loose;
    if (expected === undefined) return 'new';
    return this.#isLenient && retried === undefined ? this.#skipTo(body, asFirst, step) : 'different';
  }

  /** Takes an output that is expected, if there is one that says this, wherever it stands. */
  takeAnywhere(body: string): PublishedOutput | undefined {
    const output = this.#outputs.find((one) => one.state === 'expected' && one.body === body);
    if (output !== undefined) output.state = 'kept';
    return output;
  }

  /**
   * Puts an output in the place of all that is expected: behind a replacement that this attempt has made since, which would
   * hide it. If it replaces the artifact itself, it comes before whatever is ahead, of which it must not replace anything.
   *
   * @returns what does not count any more, and the place of the output before which the new one stands.
   */
  replaceExpected(
    output: PublishedOutput,
    step: StepOutputs | undefined,
  ): { readonly dropped: readonly PublishedOutput[]; readonly before: number | undefined } {
    const dropped = this.dropExpected(step);
    const { isReplacement } = output;
    const hidden = this.#outputs.findLastIndex((one) => isLeft(one) && one.isReplacement && !one.isAhead);
    const next = this.#outputs.find(
      (one, i) => (one === dropped[0] && i > hidden) || (one.isAhead && (isReplacement || i > hidden)),
    );
    if (isReplacement) this.#closeBefore(next);
    this.insert(output, next?.place);
    return { dropped, before: next?.place };
  }

  /** What is expected of this step or, if nothing is, of this attempt, does not count any more. */
  dropExpected(step?: StepOutputs): readonly PublishedOutput[] {
    const retried = this.#retriedOf(step)?.splice(0).toReversed();
    const dropped = retried ?? this.#outputs.filter(({ state }) => state === 'expected');
    for (const output of dropped) output.state = 'dropped';
    return dropped;
  }

  /** The next attempt of a step is compared with what it has published so far. */
  expectAgain(step: StepOutputs): void {
    const published = this.#outputs.filter((output) => output.owner === step && isLeft(output));
    if (published.length > 0) (this.#retried ??= new Map()).set(step, published.toReversed());
  }

  /** Drops what this attempt has not emitted again. An artifact is not left empty. */
  dropMissing(): readonly PublishedOutput[] {
    return this.#isEmptyWithout(({ state }) => state === 'expected') ? [] : this.dropExpected();
  }

  /** Drops what failed attempts of a step have published and its last one has not. An artifact is not left empty. */
  dropRetried(step: StepOutputs): readonly PublishedOutput[] {
    const retried = this.#retriedOf(step);
    if (retried === undefined) return [];
    const dropped = new Set(retried);
    return this.#isEmptyWithout((output) => dropped.has(output)) ? [] : this.dropExpected(step);
  }

  /** Ends the comparison with failed attempts of a step. Returns what only they have published. */
  endRetries(step: StepOutputs): readonly PublishedOutput[] {
    const left = this.#retriedOf(step)?.toReversed() ?? [];
    this.#retried?.delete(step);
    if (this.#retried?.size === 0) this.#retried = undefined;
    return left;
  }

  /** Lets an output be emitted again while steps are in flight. */
  open(output: PublishedOutput): void {
    if (this.#open?.get(output.body)?.has(output) === true) return;
    this.#add(output);
    this.#closing.push(output);
  }

  /** No step is in flight: what is emitted from now on is new. */
  close(): void {
    for (const output of this.#closing.splice(0)) this.#remove(output);
  }

  /** The artifact, of all that counts. */
  artifact(): Artifact | undefined {
    const fold = new ArtifactFold(this.#base === undefined ? [] : [this.#base]);
    for (const { update, body, isReplacement } of this.#outputs.filter(isLeft)) {
      const { artifact } = update ?? artifactUpdateOf({ body });
      // The first chunk is stored as one that begins the artifact; by now others may stand before it.
      fold.apply({ artifact, append: !isReplacement });
    }
    return fold.artifacts()[0];
  }

  #isEmptyWithout(isDropped: (output: PublishedOutput) => boolean): boolean {
    return this.#base === undefined && this.#outputs.every((output) => !isLeft(output) || isDropped(output));
  }

  /** Outputs that were replaced have to be published again if they are emitted again. */
  #closeBefore(next: PublishedOutput | undefined): void {
    if (this.#open === undefined) return;
    const end = next === undefined ? this.#outputs.length : this.#outputs.indexOf(next);
    for (const output of this.#outputs.slice(0, end)) this.#remove(output);
  }

  #add(output: PublishedOutput): void {
    this.#open ??= new Map();
    const same = this.#open.get(output.body);
    if (same === undefined) this.#open.set(output.body, new Set([output]));
    else same.add(output);
  }

  #remove(output: PublishedOutput): void {
    const same = this.#open?.get(output.body);
    if (same?.delete(output) !== true) return;
    if (same.size === 0) this.#open?.delete(output.body);
    if (this.#open?.size === 0) this.#open = undefined;
  }

  #retriedOf(step: StepOutputs | undefined): PublishedOutput[] | undefined {
    const retried = step === undefined ? undefined : this.#retried?.get(step);
    return retried === undefined || retried.length === 0 ? undefined : retried;
  }

  #nextExpected(): PublishedOutput | undefined {
    for (; this.#cursor < this.#outputs.length; this.#cursor++) {
      const output = this.#outputs[this.#cursor];
      if (output?.state === 'expected') return output;
    }
    return undefined;
  }

  /** The first chunk of an artifact is stored as one that begins it, even if its author called it an addition. */
  #isSame(output: PublishedOutput, body: string, asFirst: (() => string) | undefined): boolean {
    if (output.body === body) return true;
    return asFirst !== undefined && output === this.#first && output.body === asFirst();
  }

  #take(output: PublishedOutput, step: StepOutputs | undefined): PublishedOutput {
    const retried = this.#retriedOf(step);
    if (retried?.at(-1) === output) retried.pop();
    output.state = 'kept';
    output.owner = step;
    return output;
  }

  /** A replacement is the same again only if nothing came after it, because it would remove that now. */
  #takeOpen(body: string): PublishedOutput | undefined {
    for (const output of this.#open?.get(body) ?? []) {
      if (output.isReplacement && output !== this.#outputs.findLast(isLeft)) continue;
      this.#remove(output);
      return output;
    }
    return undefined;
  }

  get #first(): PublishedOutput | undefined {
    return this.#base === undefined ? this.#outputs.find(isLeft) : undefined;
  }

  /** What is left out stays, and is not expected any more. */
  #skipTo(body: string, asFirst: (() => string) | undefined, step: StepOutputs | undefined): PublishedOutput | 'new' {
    for (let output = this.#nextExpected(); output !== undefined; output = this.#nextExpected()) {
      if (this.#isSame(output, body, asFirst)) return this.#take(output, step);
      output.state = 'kept';
    }
    return 'new';
  }
}

function isLeft({ state }: PublishedOutput): boolean {
  return state !== 'dropped';
}
