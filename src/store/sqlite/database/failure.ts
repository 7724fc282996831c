import { A2AError } from '../../../errors.ts';

/** Primary result codes of SQLite (sqlite.org/rescode.html) that have an external cause, not an error in our SQL. */
export const RESULT = {
  BUSY: 5,
  LOCKED: 6,
  NOMEM: 7,
  READONLY: 8,
  IOERR: 10,
  CORRUPT: 11,
  FULL: 13,
  CANTOPEN: 14,
  PROTOCOL: 15,
  NOTADB: 26,
} as const;

interface Trouble {
  /** The message of SQLite, for errors without a code: some libraries omit it in some calls. */
  readonly words: string;
  /** Our message. It may reach callers, so it does not contain a file name. */
  readonly sentence: string;
}

const TROUBLES: Readonly<Record<number, Trouble>> = {
  [RESULT.BUSY]: { words: 'database is locked', sentence: 'The task store is locked by another program' },
  [RESULT.LOCKED]: { words: 'database table is locked', sentence: 'The task store is locked by another program' },
  [RESULT.NOMEM]: { words: 'out of memory', sentence: 'The task store is out of memory' },
  [RESULT.READONLY]: { words: 'attempt to write a readonly database', sentence: 'The task store is read-only' },
  [RESULT.IOERR]: { words: 'disk I/O error', sentence: 'The disk of the task store reports an error' },
  [RESULT.CORRUPT]: { words: 'database disk image is malformed', sentence: 'The file of the task store is damaged' },
  [RESULT.FULL]: { words: 'database or disk is full', sentence: 'The disk of the task store is full' },
  [RESULT.CANTOPEN]: {
    words: 'unable to open database file',
    sentence: 'The files of the task store cannot be opened',
  },
  [RESULT.PROTOCOL]: { words: 'locking protocol', sentence: 'The task store is locked by another program' },
  [RESULT.NOTADB]: { words: 'file is not a database', sentence: 'The file of the task store is damaged' },
};

const RETRY_AFTER_MS = 1000;

/** The primary result code of an error with an external cause, or `undefined` for any other error. */
export function troubleOf(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  const number = numberOf(error);
  if (number !== undefined) return number in TROUBLES ? number : undefined;
  const found = Object.entries(TROUBLES).find(
    ([code, { words }]) => isNamed(error, Number(code)) || endsWith(error, words),
  );
  return found && Number(found[0]);
}

/** The error that the caller of a store method gets. */
export function toStoreError(error: unknown): A2AError {
  if (A2AError.is(error)) return error;
  const sentence = sentenceFor(error);
  if (sentence === undefined)
    return new A2AError('INTERNAL_ERROR', 'The task store could not complete the operation', { cause: error });
  return new A2AError('UNAVAILABLE', sentence, { cause: error, retryAfterMs: RETRY_AFTER_MS });
}

/** The error of all writes of a failed transaction. It is always retryable. */
export function toCommitError(error: unknown): A2AError {
  if (A2AError.is(error)) return error;
  const sentence = sentenceFor(error) ?? 'The task store could not commit';
  return new A2AError('UNAVAILABLE', `${sentence}: nothing was stored`, { cause: error, retryAfterMs: RETRY_AFTER_MS });
}

/** The error of all calls after a failed sync. Only opening the file again shows what was stored. */
export function toSyncError(error: unknown): A2AError {
  const sentence = 'The disk of the task store has failed. The store is unavailable until the process is restarted';
  return new A2AError('UNAVAILABLE', sentence, { cause: error });
}

/** The error of all calls after the file was deleted or replaced. Later writes of SQLite are lost when the process ends. */
export function toMissingError(): A2AError {
  const sentence =
    'The file of the task store was deleted or replaced. The store is unavailable until the process is restarted';
  return new A2AError('UNAVAILABLE', sentence);
}

/** The error of calls that do not wait for a disk that does not respond. */
export function toStalledError(): A2AError {
  const sentence = 'The disk of the task store does not respond';
  return new A2AError('UNAVAILABLE', sentence, { retryAfterMs: RETRY_AFTER_MS });
}

function sentenceFor(error: unknown): string | undefined {
  const trouble = troubleOf(error);
  return trouble === undefined ? undefined : TROUBLES[trouble]?.sentence;
}

/** `node:sqlite` and `@photostructure/sqlite` report the extended code, whose low byte is the primary code. */
function numberOf(error: Error): number | undefined {
  return 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : undefined;
}

/** `better-sqlite3` reports names, including extended ones: `SQLITE_IOERR_WRITE`. */
function isNamed(error: Error, code: number): boolean {
  if (!('code' in error) || typeof error.code !== 'string') return false;
  const name = Object.entries(RESULT).find(([, value]) => value === code)?.[0];
  return error.code === `SQLITE_${name}` || error.code.startsWith(`SQLITE_${name}_`);
}

function endsWith(error: Error, words: string): boolean {
  return 'code' in error && error.code === 'ERR_SQLITE_ERROR' && error.message.endsWith(words);
}
