import { A2AError } from '../../errors.ts';

/** Classes of SQLSTATE with an external, possibly temporary cause (postgresql.org/docs/current/errcodes-appendix). */
const TROUBLES: readonly (readonly [prefix: string, sentence: string])[] = [
  ['08', 'The task store cannot reach its database'],
  ['0A000', 'The tables of the task store have just been changed'],
  ['26', 'The database of the task store has lost a prepared statement'],
  ['25', 'The database of the task store is read-only, or ended an idle transaction'],
  ['42501', 'Permission denied on the tables of the task store. Grant access to the database role of this process'],
  ['28', 'The database of the task store rejects the credentials of this process'],
  ['40', 'A transaction of the task store conflicted with another one'],
  ['53', 'The database of the task store is out of resources'],
  ['55', 'The database of the task store is busy with another operation'],
  ['57', 'The database of the task store is restarting, or canceled a slow statement'],
  ['58', 'The disk of the task store reports an error'],
];

/** Classes of rejected input: data that the database cannot store, rows that violate a constraint, and exceeded limits. */
const REFUSED_DATA = '22';
const REFUSED_ROW = '23';
const BEYOND_LIMITS = '54';

const DISK_FULL = '53100';
/** Raised by the function `assert_current` of our schema. */
const OUTDATED_TASK = 'TA001';
const INVALID_VALUE = '22023';
const UNIQUE_VIOLATION = '23505';
const READ_ONLY = '25006';
const IDLE_TOO_LONG = '25P03';
/** A prepared statement that the backend does not know, or that was prepared before its table changed. */
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
  'The database of the task store cannot store a value of this request. Use shorter names, and characters that its encoding supports';

/** Whether the database rejects our credentials. */
export function isRefused(error: unknown): boolean {
  return stateOf(error)?.startsWith('28') === true;
}

/** Whether the database rejects the data and would reject it again, as opposed to having a problem itself. */
export function isRefusal(error: unknown): boolean {
  return isUnfit(error) || stateOf(error)?.startsWith(REFUSED_ROW) === true;
}

/** Whether the disk of the database is full. */
export function isDiskFull(error: unknown): boolean {
  return stateOf(A2AError.is(error) ? error.cause : error) === DISK_FULL;
}

/** Whether a row with this key already exists. */
export function isConflict(error: unknown): boolean {
  return stateOf(error) === UNIQUE_VIOLATION;
}

/** Whether a task had changed since its writer read it. */
export function isOutdated(error: unknown): boolean {
  return stateOf(error) === OUTDATED_TASK;
}

/** Whether another transaction held a needed lock for too long. */
export function isHeldUp(error: unknown): boolean {
  const state = stateOf(error);
  return state === LOCK_TIMEOUT || state === DEADLOCK;
}

/** Whether the requested transaction id has not been assigned yet. */
export function isUnknownNumber(error: unknown): boolean {
  return stateOf(error) === INVALID_VALUE;
}

/** Whether a connection was lost, so that the outcome of its last statement is unknown. */
export function isConnectionLost(error: unknown): boolean {
  const state = stateOf(error);
  // Errors of the driver have no state: the connection ended or did not respond.
  return state === undefined || state.startsWith('08') || state.startsWith('57P');
}

/** Whether a connection can no longer be used: lost, or connected to a server that was replaced by another one. */
export function isSpent(error: unknown): boolean {
  return SPENT.has(stateOf(error)) || isConnectionLost(error);
}

/** The error that the caller of a store method gets. */
export function toStoreError(error: unknown): A2AError {
  if (A2AError.is(error)) return error;
  if (isUnfit(error)) return new A2AError('INVALID_PARAMS', UNFIT, { cause: error });
  const sentence = sentenceFor(error);
  if (sentence === undefined)
    return new A2AError('INTERNAL_ERROR', 'The task store could not complete the operation', { cause: error });
  return new A2AError('UNAVAILABLE', sentence, { cause: error, retryAfterMs: RETRY_AFTER_MS });
}

/** Whether the values of the caller are the cause. */
function isUnfit(error: unknown): boolean {
  const state = stateOf(error);
  return state?.startsWith(REFUSED_DATA) === true || state?.startsWith(BEYOND_LIMITS) === true;
}

/** The error of calls that have waited too long. */
export function tooSlow(): A2AError {
  const cause = new Error('The database did not respond in time');
  return new A2AError('UNAVAILABLE', 'The database of the task store is too slow', {
    cause,
    retryAfterMs: RETRY_AFTER_MS,
  });
}

/** The error of all writes of a failed transaction. It is always retryable. */
export function toCommitError(error: unknown): A2AError {
  if (A2AError.is(error)) return error;
  const sentence = sentenceFor(error) ?? 'The task store could not commit';
  return new A2AError('UNAVAILABLE', sentence, { cause: error, retryAfterMs: RETRY_AFTER_MS });
}

function sentenceFor(error: unknown): string | undefined {
  const state = stateOf(error);
  if (state === undefined) return 'The task store cannot reach its database, or has no free connection';
  return TROUBLES.find(([prefix]) => state.startsWith(prefix))?.[1];
}

/** The five-character SQLSTATE of an error. */
function stateOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined;
  return /^[0-9A-Z]{5}$/.test(error.code) && 'severity' in error ? error.code : undefined;
}
