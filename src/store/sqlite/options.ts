import type { Clock } from '../../support/clock.ts';
import type { Driver } from './driver.ts';
import type { SyncFile } from './log-sync.ts';

export interface SqliteStoreOptions {
  readonly clock?: Clock;
  /** @internal For tests that break the database. */
  readonly driver?: Driver;
  /** @internal For tests that break the disk. */
  readonly syncFile?: SyncFile;
  /** @internal How long the disk may take before it counts as stalled. */
  readonly stallMs?: number;
}
