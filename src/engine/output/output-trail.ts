import type { Artifact } from '../../model/artifact.ts';
import { ArtifactFold } from '../../model/artifact-fold.ts';
import type { TaskArtifactUpdateEvent } from '../../model/event.ts';
import { artifactUpdateOf } from '../replay/event-body.ts';
import type { OutputKind, StepOutputs } from './step-outputs.ts';

/** One output that was published in this turn. */
export interface PublishedOutput {
  readonly kind: OutputKind;
  /** Its ordinal among the outputs of its kind in the turn. */
  readonly place: number;
  /** Absent if it will not be compared with later output. */
  readonly trail: OutputTrail | undefined;
  /** The text that is compared: the event of an artifact, or the content of a status. */
  readonly body: string;
  /** The chunk, if the event contains the whole artifact. */
  readonly update: TaskArtifactUpdateEvent | undefined;
  /** Whether it replaces the previous content of its artifact. `false` for the first chunk, which replaces nothing. */
  readonly isReplacement: boolean;
  state: OutputState;
  /** Whether the handler yielded it. */
  isYielded: boolean;
  /** Whether it may be missing although it is expected. */
  isOptional: boolean;
  /** Whether it was published during a recorded step that this attempt has not called yet. */
  isAhead: boolean;
  /** The step of this attempt that published it or emitted it again. */
  owner: StepOutputs | undefined;
}

/**
 * - `expected`: this attempt has to emit it again. An optional one stays if it does not come again.
 * - `kept`: a recorded step has published it, or this attempt has emitted it again.
 * - `loose`: published during a recorded step, by unknown code. It stays, whether or not it is emitted again.
 * - `dropped`: replaced by a correction. It no longer counts.
 */
export type OutputState = 'expected' | 'kept' | 'loose' | 'dropped';

/** The outputs of one artifact, or all statuses, in the order of the log. */
export class OutputTrail {
  readonly #base: Artifact | undefined;
  readonly #outputs: PublishedOutput[] = [];
  /** The index before which no output is expected. */
  #cursor = 0;
  /** Outputs of failed attempts of a step that its current attempt has not emitted yet, the next one last. */
  #retried: Map<StepOutputs, PublishedOutput[]> | undefined;
  /** Loose outputs that may be emitted again while steps are in flight, by content. */
  #open: Map<string, Set<PublishedOutput>> | undefined;
  /** Loose outputs whose steps were called. They may not be emitted again once no step is in flight. */
  readonly #closing: PublishedOutput[] = [];
  /** The number of outputs that are ahead of this attempt. */
  #ahead = 0;
  #isLenient = false;

  /** @param base The artifact before the first of these outputs. */
  constructor(base?: Artifact) {
    this.#base = base;
  }

  /** Whether it has no outputs and its artifact did not exist before. */
  get isEmpty(): boolean {
    return this.#base === undefined && this.#outputs.length === 0;
  }

  /** Whether later output may have to be compared with it. */
  get isNeeded(): boolean {
    if (this.#nextExpected() !== undefined || this.isAhead) return true;
    return this.#open !== undefined || this.#retried !== undefined;
  }

  /** Whether recorded steps that this attempt has not called yet have published part of it. */
  get isAhead(): boolean {
    return this.#ahead > 0;
  }

  push(output: PublishedOutput): void {
    if (output.isReplacement) this.#closeBefore(undefined);
    this.#outputs.push(output);
  }

  /** Inserts an output before the one with the given place, or at the end. */
  insert(output: PublishedOutput, before: number | undefined): void {
    const index = this.#outputs.findIndex(({ place }) => place === before);
    this.#outputs.splice(index < 0 ? this.#outputs.length : index, 0, output);
  }

  drop(places: ReadonlySet<number>): void {
    for (const output of this.#outputs) if (places.has(output.place)) output.state = 'dropped';
  }

  /** Applies the record of a step to an output of the log. */
  label(output: PublishedOutput, state: 'kept' | 'loose'): void {
    output.state = state;
    output.isAhead = true;
    this.#ahead++;
    if (state === 'loose') this.#add(output);
  }

  /** Called when this attempt calls the step during which an output was published. */
  reach(output: PublishedOutput): void {
    if (!output.isAhead) return;
    output.isAhead = false;
    this.#ahead--;
    if (output.state === 'loose') this.#closing.push(output);
  }

  /** Allows expected outputs to be missing, because recorded steps may have published them. */
  beLenient(): void {
    this.#isLenient = true;
  }

  /**
   * Compares an emitted output with the one that is expected of this step or, if there is none, of this attempt.
   *
   * @param asFirst Returns what `body` would be for the first chunk of an artifact.
   * @param isBeside Whether steps are in flight, so that loose outputs may come again.
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
    const later = expected?.isOptional === true ? this.#takeAfterOptional(body, asFirst, step) : undefined;
    if (later !== undefined) return later;
    const loose = isBeside && this.#open ? (this.#takeOpen(body) ?? (asFirst && this.#takeOpen(asFirst()))) : undefined;
    if (loose !== undefined) return loose;
    if (expected === undefined || (expected.isOptional && !this.#outputs.some(isRequired))) return 'new';
    return this.#isLenient && retried === undefined ? this.#skipTo(body, asFirst, step) : 'different';
  }

  /** Takes an expected output with this content, at any position. */
  takeAnywhere(body: string): PublishedOutput | undefined {
    const output = this.#outputs.find((one) => one.state === 'expected' && one.body === body);
    if (output !== undefined) output.state = 'kept';
    return output;
  }

  /**
   * Replaces all expected outputs by a new one. It is placed after a replacement that this attempt has made since, which
   * would otherwise hide it. If it replaces the artifact itself, it is placed before all outputs that are ahead, because it
   * must not replace them.
   *
   * @returns the dropped outputs, and the place of the output before which the new one is inserted.
   */
  replaceExpected(
    output: PublishedOutput,
    step: StepOutputs | undefined,
  ): { readonly dropped: readonly PublishedOutput[]; readonly before: number | undefined } {
    const dropped = this.dropExpected(step);
    const { isReplacement } = output;
    const hidden = this.#outputs.findLastIndex((one) => isVisible(one) && one.isReplacement && !one.isAhead);
    const next = this.#outputs.find(
      (one, i) => (one === dropped[0] && i > hidden) || (one.isAhead && (isReplacement || i > hidden)),
    );
    if (isReplacement) this.#closeBefore(next);
    this.insert(output, next?.place);
    return { dropped, before: next?.place };
  }

  /** Drops the outputs that are expected of this step or, if there are none, of this attempt. */
  dropExpected(step?: StepOutputs): readonly PublishedOutput[] {
    const retried = this.#retriedOf(step)?.splice(0).toReversed();
    const dropped = retried ?? this.#outputs.filter(isRequired);
    for (const output of dropped) output.state = 'dropped';
    return dropped;
  }

  /** Makes the next attempt of a step repeat what the step has published so far. */
  expectAgain(step: StepOutputs): void {
    const published = this.#outputs.filter((output) => output.owner === step && isVisible(output));
    if (published.length > 0) (this.#retried ??= new Map()).set(step, published.toReversed());
  }

  /** Drops outputs that this attempt has not emitted again, unless that would leave the artifact empty. */
  dropMissing(): readonly PublishedOutput[] {
    return this.#isEmptyWithout(isRequired) ? [] : this.dropExpected();
  }

  /** Drops outputs that only failed attempts of a step have published, unless that would leave the artifact empty. */
  dropRetried(step: StepOutputs): readonly PublishedOutput[] {
    const retried = this.#retriedOf(step);
    if (retried === undefined) return [];
    const dropped = new Set(retried);
    return this.#isEmptyWithout((output) => dropped.has(output)) ? [] : this.dropExpected(step);
  }

  /** Ends the comparison with failed attempts of a step. Returns the outputs that only they have published. */
  endRetries(step: StepOutputs): readonly PublishedOutput[] {
    const left = this.#retriedOf(step)?.toReversed() ?? [];
    this.#retried?.delete(step);
    if (this.#retried?.size === 0) this.#retried = undefined;
    return left;
  }

  /** Allows an output to be emitted again while steps are in flight. */
  open(output: PublishedOutput): void {
    if (this.#open?.get(output.body)?.has(output) === true) return;
    this.#add(output);
    this.#closing.push(output);
  }

  /** Called when no step is in flight: all further output is new. */
  close(): void {
    for (const output of this.#closing.splice(0)) this.#remove(output);
  }

  /** The artifact without dropped outputs. */
  artifact(): Artifact | undefined {
    const fold = new ArtifactFold(this.#base === undefined ? [] : [this.#base]);
    for (const { update, body, isReplacement } of this.#outputs.filter(isVisible)) {
      const { artifact } = update ?? artifactUpdateOf({ body });
      // The first chunk is stored as one that creates the artifact; by now other chunks may precede it.
      fold.apply({ artifact, append: !isReplacement });
    }
    return fold.artifacts()[0];
  }

  #isEmptyWithout(isDropped: (output: PublishedOutput) => boolean): boolean {
    return this.#base === undefined && this.#outputs.every((output) => !isVisible(output) || isDropped(output));
  }

  /** Outputs that were replaced must be published again if they are emitted again. */
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

  /** The first chunk of an artifact is stored as one that creates it, even if the handler appended it. */
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

  /** Takes an expected output that only optional ones precede. Those did not come again, and stay. */
  #takeAfterOptional(
    body: string,
    asFirst: (() => string) | undefined,
    step: StepOutputs | undefined,
  ): PublishedOutput | undefined {
    const expected = this.#outputs.slice(this.#cursor).filter(({ state }) => state === 'expected');
    const required = expected.findIndex(({ isOptional }) => !isOptional);
    const candidates = required < 0 ? expected : expected.slice(0, required + 1);
    const index = candidates.findIndex((output) => this.#isSame(output, body, asFirst));
    const found = candidates[index];
    if (found === undefined) return undefined;
    for (const output of candidates.slice(0, index)) output.state = 'kept';
    return this.#take(found, step);
  }

  /** A replacement matches only if nothing was published after it, because it would remove that now. */
  #takeOpen(body: string): PublishedOutput | undefined {
    for (const output of this.#open?.get(body) ?? []) {
      if (output.isReplacement && output !== this.#outputs.findLast(isVisible)) continue;
      this.#remove(output);
      return output;
    }
    return undefined;
  }

  get #first(): PublishedOutput | undefined {
    return this.#base === undefined ? this.#outputs.find(isVisible) : undefined;
  }

  /** Skipped outputs stay published and are no longer expected. */
  #skipTo(body: string, asFirst: (() => string) | undefined, step: StepOutputs | undefined): PublishedOutput | 'new' {
    for (let output = this.#nextExpected(); output !== undefined; output = this.#nextExpected()) {
      if (this.#isSame(output, body, asFirst)) return this.#take(output, step);
      output.state = 'kept';
    }
    return 'new';
  }
}

function isRequired({ state, isOptional }: PublishedOutput): boolean {
  return state === 'expected' && !isOptional;
}

function isVisible({ state }: PublishedOutput): boolean {
  return state !== 'dropped';
}
