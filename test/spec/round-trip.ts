import { type Loss, LOSSES } from '../../src/wire/losses.ts';
import type { ReadOptions } from '../../src/wire/reader.ts';
import { compare, type Comparison } from './compare.ts';
import type { Subject } from './subjects.ts';

type Direction = Loss['direction'];

/** What a dialect is known to lose. */
function knownLosses(dialect: string, direction: Direction): readonly Loss[] {
  return LOSSES.filter((loss) => loss.direction === direction && loss.dialects.some((name) => name === dialect));
}

/** JSON as the peer gets it. */
export function transmit(json: unknown): unknown {
  return JSON.parse(JSON.stringify(json));
}

const STRICT: ReadOptions = { strict: true };

/** From the model to the wire and back (`write`), or from the wire to the model and back (`read`). */
export function roundTrip(
  subject: Subject,
  direction: Direction,
  value: unknown,
  closes = false,
  options = STRICT,
): unknown {
  // What we write has to be good enough for a strict reader.
  if (direction === 'write') return subject.decode(transmit(subject.encode(value, closes)), options);
  return transmit(subject.encode(subject.decode(transmit(value), options), closes));
}

/**
 * What came back, against what was sent. Losses that depend on more than the lost member itself would excuse too much,
 * so they count only for the member that is asked for; examples show them.
 */
export function judge(
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
