import type { JsonObject, JsonValue } from '../../model/json.ts';
import type { JournalEntry } from '../../store/store.ts';
import type { JournalKind } from './journal.ts';

type Body = Readonly<Record<string, JsonValue | undefined>>;

const nothing = (): JsonObject => ({});
const resultOf = ({ error }: Body): JsonObject => ({ outcome: error === undefined ? 'done' : 'failed' });

/** The outlines of all kinds, without the time. Keys are kept as they are, so they must not contain values either. */
const OUTLINES: Readonly<Record<JournalKind, (body: Body) => JsonObject>> = {
  turn: nothing,
  step: resultOf,
  correction: nothing,
  question: ({ expiresAt }) => only({ expiresAt }),
  answer: ({ expired, canceled }) => ({
    outcome: expired === true ? 'expired' : canceled === true ? 'canceled' : 'answered',
  }),
  withdrawn: nothing,
  sleep: ({ until }) => only({ until }),
  slept: nothing,
  message: nothing,
  read: ({ upTo }) => only({ upTo }),
  worked: ({ ms }) => only({ ms }),
  mismatch: ({ recorded, asked, isHeld }) => only({ recorded, asked, isHeld }),
  call: ({ peer }) => only({ peer }),
  called: ({ outcome }) => only({ outcome }),
  'call-cancel': nothing,
  'call-detach': nothing,
  'call-question': nothing,
  'call-withdrawn': nothing,
  'call-update': nothing,
};

/**
 * Adds outlines to entries that are about to be stored: the facts that may be kept when their values are gone. `at` is the time of the entry,
 * `outcome` how the step or the question ended: `done`, `failed`, `answered`, `expired` or `canceled`; for a call its
 * `CallOutcome`.
 */
export function outlined(entries: readonly JournalEntry[], now: number): readonly JournalEntry[] {
  return entries.map((entry) => ({ ...entry, outline: { at: now, ...outlineOf(entry) } }));
}

function outlineOf({ kind, body }: JournalEntry): JsonObject {
  const isKnown = Object.hasOwn(OUTLINES, kind) && typeof body === 'object' && body !== null;
  return isKnown ? OUTLINES[kind as JournalKind](body as Body) : {};
}

/** The members that are set. */
function only(members: Body): JsonObject {
  return Object.fromEntries(
    Object.entries(members).filter((member): member is [string, JsonValue] => member[1] !== undefined),
  );
}
