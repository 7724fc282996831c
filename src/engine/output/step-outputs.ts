import type { JsonObject, JsonValue } from '../../model/json.ts';
import type { Part } from '../../model/part.ts';
import type { StepOptions } from '../handler.ts';
import type { RecordedError } from '../run/failure-text.ts';

/**
 * Places of outputs as inclusive ranges: `[1, 3, 7, 7]` is 1, 2, 3 and 7. A place counts the artifact events, or the
 * statuses with content, that the handler has published in a turn. Only the run that holds the lease publishes those, so
 * it knows the place of an output before the output is stored.
 */
export type Ranges = readonly number[];

/** Places by the kind of the output. */
export interface Places {
  readonly artifacts?: Ranges;
  readonly statuses?: Ranges;
}

/** A status that could not be published yet, because a question was open. */
export interface HeldStatus {
  readonly parts: readonly Part[];
  readonly metadata?: JsonObject;
  /** Set if it was emitted through the context of the task. */
  readonly isLoose?: true;
}

/** The output that was published while the function of a step ran. */
export interface RecordedOutputs {
  /** Published through the context of the step. */
  readonly own?: Places;
  /** Published through the context of the task: by the function of the step, or by code that ran beside it. */
  readonly loose?: Places;
  /** Published by code that ran beside the step and publishes it again from the result of the step. It can be loose, too. */
  readonly again?: Places;
  /** Statuses that will be published when the open question is answered. */
  readonly held?: readonly HeldStatus[];
}

/** The record of a step in the journal. */
export interface StepRecord {
  readonly value?: JsonValue;
  readonly error?: RecordedError;
  /** Absent in journals of versions that did not record the output of steps. */
  readonly outputs?: RecordedOutputs;
  /** Working time since the entry before it, in milliseconds. */
  readonly workedMs?: number;
}

/** The record of replaced outputs in the journal. Its key names the place of the event that replaced them. */
export interface CorrectionRecord {
  /** The places of the replaced outputs. */
  readonly drop: Ranges;
  /** The output that the event adds, because a correction contains the whole artifact. */
  readonly update?: JsonObject;
  /** The place of the output before which the added one belongs; at the end if not set. */
  readonly before?: number;
}

/** Adds a place to ranges. Usually it follows the last one. */
export function addPlace(ranges: number[], place: number): void {
  if (ranges.length > 0 && ranges.at(-1) === place - 1) ranges[ranges.length - 1] = place;
  else ranges.push(place, place);
}

export function* placesIn(ranges: Ranges = []): Generator<number> {
  for (let i = 0; i + 1 < ranges.length; i += 2)
    for (let place = ranges[i] ?? 0; place <= (ranges[i + 1] ?? 0); place++) yield place;
}

export function rangesOf(places: Iterable<number>): number[] {
  const ranges: number[] = [];
  for (const place of places) addPlace(ranges, place);
  return ranges;
}

export type OutputKind = 'artifact' | 'status';

/** How an output was emitted: through the context of a step, yielded by the handler, or through the context of the task. */
export type OutputSource = StepOutputs | 'yield' | undefined;

export function stepOf(source: OutputSource): StepOutputs | undefined {
  return source === 'yield' ? undefined : source;
}

/** The output of one step. */
export class StepOutputs {
  /** Whether a failed attempt is retried. */
  readonly isRetryable: boolean;
  /** Which outputs beside it come again when its result is recorded. */
  readonly repeats: StepOptions['repeats'];
  /** How many outputs of unknown code there were when its function was first called. */
  readonly from: number;
  /** The same, for the present attempt. */
  attemptFrom: number;
  /** How many statuses were held back before its function was first called. */
  heldFrom = 0;
  /** The places of its outputs. */
  own: { artifacts?: number[]; statuses?: number[] } | undefined;

  constructor(isRetryable: boolean, repeats: StepOptions['repeats'], from: number) {
    this.isRetryable = isRetryable;
    this.repeats = repeats;
    this.from = from;
    this.attemptFrom = from;
  }

  add(kind: OutputKind, place: number): void {
    this.own ??= {};
    if (kind === 'artifact') addPlace((this.own.artifacts ??= []), place);
    else addPlace((this.own.statuses ??= []), place);
  }
}
