import { A2AError } from '../../errors.ts';

/** Primary result codes of SQLite (sqlite.org/rescode.html) that come from the surroundings and not from our SQL. */
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
  /** SQLite's own words, for errors that come without a number: some libraries leave it out in some calls. */
  readonly words: string;
  /** Ours. They may reach a stranger, so they name no file. */
  readonly sentence: string;
}

const TROUBLES: Readonly<Record<number, Trouble>> = {
  [RESULT.BUSY]: { words: 'database is locked', sentence: 'The task store is locked by another program' },
  [RESULT.LOCKED]: { words: 'database table is locked', sentence: 'The task store is locked by another program' },
  [RESULT.NOMEM]: { words: 'out of memory', sentence: 'The task store has no memory left' },
  [RESULT.READONLY]: { words: 'attempt to write a readonly database', sentence: 'The task store is read-only' },
  [RESULT.IOERR]: { words: 'disk I/O error', sentence: 'The disk of the task store reports an error' },
  [RESULT.CORRUPT]: { words: 'database disk image is malformed', sentence: 'The file of the task store is damaged' },
  [RESULT.FULL]: { words: 'database or disk is full', sentence: 'The disk of the task store is full' },
  [RESULT.CANTOPEN]: {
    words: 'unable to open database file',
    sentence: 'The files of the task store are out of reach',
  },
  [RESULT.PROTOCOL]: { words: 'locking protocol', sentence: 'The task store is locked by another program' },
  [RESULT.NOTADB]: { words: 'file is not a database', sentence: 'The file of the task store is damaged' },
};

const RETRY_AFTER_MS = 1000;

/** The trouble with the surroundings that an error tells of; `undefined` for any other error. */
export function troubleOf(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  const number = numberOf(error);
  if (number !== undefined) return number in TROUBLES ? number : undefined;
  const found = Object.entries(TROUBLES).find(
    ([code, { words }]) => isNamed(error, Number(code)) || endsWith(error, words),
  );
  return found && Number(found[0]);
}

/** What the caller of a method gets to see of an error. */
export function toStoreError(error: unknown): A2AError {
  if (A2AError.is(error)) return error;
  const sentence = sentenceFor(error);
  if (sentence === undefined)
    return new A2AError('INTERNAL_ERROR', 'The task store could not do this', { cause: error });
  return new A2AError('UNAVAILABLE', sentence, { cause: error, retryAfterMs: RETRY_AFTER_MS });
}

/** What all writes of a transaction get to see of the error that made it fail. It may pass, whatever it was. */
export function toCommitError(error: unknown): A2AError {
  if (A2AError.is(error)) return error;
  const sentence = sentenceFor(error) ?? 'The task store could not commit';
  return new A2AError('UNAVAILABLE', `${sentence}: nothing was stored`, { cause: error, retryAfterMs: RETRY_AFTER_MS });
}

/** What everybody gets to see once the disk has not taken what was committed. Only opening the file again tells what is there. */
export function toSyncError(error: unknown): A2AError {
  const sentence = 'The disk of the task store has failed. It takes nothing until this process is started again';
  return new A2AError('UNAVAILABLE', sentence, { cause: error });
}

/** The error of all calls once the file was deleted or replaced: what SQLite still writes is gone with this process. */
export function toMissingError(): A2AError {
  const sentence =
    'The file of the task store was deleted or replaced. It takes nothing until this process is started again';
  return new A2AError('UNAVAILABLE', sentence);
}

/** What those get to see who need not wait for a disk that does not answer. */
export function toStalledError(): A2AError {
  const sentence = 'The disk of the task store does not answer';
  return new A2AError('UNAVAILABLE', sentence, { retryAfterMs: RETRY_AFTER_MS });
}

function sentenceFor(error: unknown): string | undefined {
  const trouble = troubleOf(error);
  return trouble === undefined ? undefined : TROUBLES[trouble]?.sentence;
}

/** `node:sqlite` and its double give the extended code, whose low byte is the primary one. */
function numberOf(error: Error): number | undefined {
  return 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : undefined;
}

/** `better-sqlite3` gives names, also extended: `SQLITE_IOERR_WRITE`. */
function isNamed(error: Error, code: number): boolean {
  if (!('code' in error) || typeof error.code !== 'string') return false;
  const name = Object.entries(RESULT).find(([, value]) => value === code)?.[0];
  return error.code === `SQLITE_${name}` || error.code.startsWith(`SQLITE_${name}_`);
}

function endsWith(error: Error, words: string): boolean {
  return 'code' in error && error.code === 'ERR_SQLITE_ERROR' && error.message.endsWith(words);
}
