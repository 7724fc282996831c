import type { Log } from '../../observe/log.ts';
import type { Clock } from '../../support/time/clock.ts';
import type { Driver } from './database/driver.ts';
import type { SyncFile } from './database/log-sync.ts';

/** The options of `sqlite()`. */
export interface SqliteStoreOptions {
  /** Receives a warning if the file has several hard links, and an error if it is deleted or replaced. The console if not set. */
  readonly log?: Log;
  /** Replaces the system clock, for tests. */
  readonly clock?: Clock;
  /** @internal Replaces the SQLite library, for tests. */
  readonly driver?: Driver;
  /** @internal Replaces the sync, for tests. */
  readonly syncFile?: SyncFile;
  /** @internal How long a sync may take before the disk counts as stalled. */
  readonly stallMs?: number;
}
