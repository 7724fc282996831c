import type { Log } from '../../observe/log.ts';
import type { Clock } from '../../support/clock.ts';
import type { Driver } from './driver.ts';
import type { SyncFile } from './log-sync.ts';

export interface SqliteStoreOptions {
  /** Gets a warning if the file has several hard links, and an error if it is deleted or replaced; the console if not set. */
  readonly log?: Log;
  readonly clock?: Clock;
  /** @internal For tests that break the database. */
  readonly driver?: Driver;
  /** @internal For tests that break the disk. */
  readonly syncFile?: SyncFile;
  /** @internal How long the disk may take before it counts as stalled. */
  readonly stallMs?: number;
}
