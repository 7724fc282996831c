import { count, type OptionTable, type Settings } from '../../support/options.ts';
import { ADDRESSES, type OutboundOptions } from './address-options.ts';

/** How files that a message refers to by URL are fetched, and from which addresses. */
export interface FileOptions extends OutboundOptions {
  /** The largest file in bytes. Default: 10 MiB. */
  readonly maxBytes?: number;
  /** The time limit for one file, in milliseconds. Default: 30 s. */
  readonly timeoutMs?: number;
}

/** Node fires a timer with a longer delay immediately. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** The options of `files`. */
export const FILES = {
  ...ADDRESSES,
  maxBytes: count({ byDefault: 10 * 2 ** 20 }),
  timeoutMs: count({ most: MAX_TIMER_MS, byDefault: 30_000 }),
} as const satisfies OptionTable<FileOptions>;

export type FileSettings = Settings<typeof FILES>;
