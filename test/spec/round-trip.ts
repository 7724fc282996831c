import { type Loss, LOSSES } from './losses.ts';
import type { DecodeOptions } from '../../src/wire/decoder.ts';
import { compare, type Comparison } from './compare.ts';
import type { Subject } from './subjects.ts';

type Direction = Loss['direction'];

/** The known losses of a dialect. */
function knownLosses(dialect: string, direction: Direction): readonly Loss[] {
  return LOSSES.filter((loss) => loss.direction === direction && loss.dialects.some((name) => name === dialect));
}

/** JSON as the peer receives it. */
export function transmit(json: unknown): unknown {
  return JSON.parse(JSON.stringify(json));
}

const STRICT: DecodeOptions = { strict: true };

/** From the model to the wire and back (`write`), or from the wire to the model and back (`read`). */
export function roundTrip(
  subject: Subject,
  direction: Direction,
  value: unknown,
  closes = false,
  options = STRICT,
): unknown {
  // Encoded values must be accepted in strict mode.
  if (direction === 'write') return subject.decode(transmit(subject.encode(value, closes)), options);
  return transmit(subject.encode(subject.decode(transmit(value), options), closes));
}

/**
 * Compares the result of a round trip with the original. Losses that depend on more than the lost member would hide too
 * much, so they count only for the given member; examples show them.
 */
export function compareRoundTrip(
  subject: Subject,
  direction: Direction,
  before: unknown,
  after: unknown,
  member?: string,
): Comparison<Loss> {
  const losses = knownLosses(subject.dialect, direction).filter(
    ({ when, values, members }) =>
      when === undefined || values !== undefined || members.some((each) => each === member),
  );
  return compare(subject, before, after, losses);
}
