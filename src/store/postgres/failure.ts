import { A2AError } from '../../errors.ts';

/** Classes of SQLSTATE that come from the surroundings and may pass (postgresql.org/docs/current/errcodes-appendix). */
const TROUBLES: readonly (readonly [prefix: string, sentence: string])[] = [
  ['08', 'The database of the task store cannot be reached'],
  ['0A000', 'The tables of the task store were just changed'],
  ['26', 'The database of the task store has forgotten what we asked'],
  ['25', 'The database of the task store is read-only for now, or gave up on us'],
  ['42501', 'The database of the task store lets us not use its tables: grant them to the role of this process'],
  ['28', 'The database of the task store refuses our credentials'],
  ['40', 'The database of the task store was too busy'],
  ['53', 'The database of the task store is out of resources'],
  ['55', 'The database of the task store is busy with something else'],
  ['57', 'The database of the task store is restarting or was too slow'],
  ['58', 'The disk of the task store reports an error'],
];

/** Classes that say what the database does not take: data that it cannot hold, rows against its rules, more than its limits. */
const REFUSED_DATA = '22';
const REFUSED_ROW = '23';
const BEYOND_LIMITS = '54';

const DISK_FULL = '53100';
const DIVISION_BY_ZERO = '22012';
const INVALID_VALUE = '22023';
const UNIQUE_VIOLATION = '23505';
const READ_ONLY = '25006';
const IDLE_TOO_LONG = '25P03';
/** A statement with a name that the process of the database does not know, or knows from before its table was changed. */
const UNKNOWN_STATEMENT = '26000';
const OUTDATED_STATEMENT = '0A000';
const SPENT: ReadonlySet<string | undefined> = new Set([
  READ_ONLY,
  IDLE_TOO_LONG,
  UNKNOWN_STATEMENT,
  OUTDATED_STATEMENT,
]);
const LOCK_TIMEOUT = '55P03';
const DEADLOCK = '40P01';
const RETRY_AFTER_MS = 1000;
const UNFIT =
  'The database of the task store cannot keep this, nor will it later: take shorter names, or characters that it knows';

/** Whether the database does not let us in. */
export function isRefused(error: unknown): boolean {
  return stateOf(error)?.startsWith('28') === true;
}

/** Whether the database refuses what it was given, rather than being in trouble itself: it would refuse it again. */
export function isRefusal(error: unknown): boolean {
  return isUnfit(error) || stateOf(error)?.startsWith(REFUSED_ROW) === true;
}

/** Whether there is no room on the disk of the database. */
export function isDiskFull(error: unknown): boolean {
  return stateOf(A2AError.is(error) ? error.cause : error) === DISK_FULL;
}

/** Whether something of this name is there already. */
export function isConflict(error: unknown): boolean {
  return stateOf(error) === UNIQUE_VIOLATION;
}

/** Whether a task was not as its writer knew it: what asks for that divides by whether it is. */
export function isOutdated(error: unknown): boolean {
  return stateOf(error) === DIVISION_BY_ZERO;
}

/** Whether somebody else held what was needed for too long. */
export function isHeldUp(error: unknown): boolean {
  const state = stateOf(error);
  return state === LOCK_TIMEOUT || state === DEADLOCK;
}

/** Whether the database was asked for a transaction with a number that it has not given to anybody yet. */
export function isUnknownNumber(error: unknown): boolean {
  return stateOf(error) === INVALID_VALUE;
}

/** Whether a connection has ended, so that nobody can say what became of the last statement. */
export function isConnectionLost(error: unknown): boolean {
  const state = stateOf(error);
  // What the driver itself reports has no state: the connection ended, or did not answer.
  return state === undefined || state.startsWith('08') || state.startsWith('57P');
}

/** Whether a connection is of no more use: lost, or to a database that another one has replaced. */
export function isSpent(error: unknown): boolean {
  return SPENT.has(stateOf(error)) || isConnectionLost(error);
}

/** What the caller of a method gets to see of an error. */
export function toStoreError(error: unknown): A2AError {
  if (A2AError.is(error)) return error;
  if (isUnfit(error)) return new A2AError('INVALID_PARAMS', UNFIT, { cause: error });
  const sentence = sentenceFor(error);
  if (sentence === undefined)
    return new A2AError('INTERNAL_ERROR', 'The task store could not do this', { cause: error });
  return new A2AError('UNAVAILABLE', sentence, { cause: error, retryAfterMs: RETRY_AFTER_MS });
}

/** Whether the fault is in what the caller has said, and not in ours. */
function isUnfit(error: unknown): boolean {
  const state = stateOf(error);
  return state?.startsWith(REFUSED_DATA) === true || state?.startsWith(BEYOND_LIMITS) === true;
}

/** What those get to see who have waited for long enough. */
export function tooSlow(): A2AError {
  const cause = new Error('There was no answer in time');
  return new A2AError('UNAVAILABLE', 'The database of the task store is too slow', {
    cause,
    retryAfterMs: RETRY_AFTER_MS,
  });
}

/** What all writes of a transaction get to see of the error that made it fail. It may pass, whatever it was. */
export function toCommitError(error: unknown): A2AError {
  if (A2AError.is(error)) return error;
  const sentence = sentenceFor(error) ?? 'The task store could not commit';
  return new A2AError('UNAVAILABLE', sentence, { cause: error, retryAfterMs: RETRY_AFTER_MS });
}

function sentenceFor(error: unknown): string | undefined {
  const state = stateOf(error);
  if (state === undefined) return 'The database of the task store cannot be reached, or has no connection to spare';
  return TROUBLES.find(([prefix]) => state.startsWith(prefix))?.[1];
}

/** The five characters by which PostgreSQL names an error. */
function stateOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined;
  return /^[0-9A-Z]{5}$/.test(error.code) && 'severity' in error ? error.code : undefined;
}
