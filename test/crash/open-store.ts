import { postgres } from '../../src/store/postgres/store.ts';
import type { Driver } from '../../src/store/sqlite/database/driver.ts';
import { sqlite } from '../../src/store/sqlite/store.ts';
import type { Store } from '../../src/store/store.ts';
import type { Clock } from '../../src/support/time/clock.ts';

/** Whether several processes use the database at the same time. */
export function isShared(database: string): boolean {
  return database.startsWith('postgres:');
}

export function openStore(database: string, options: { readonly driver?: Driver; readonly clock?: Clock } = {}): Store {
  if (!isShared(database)) return sqlite(database, options);
  return postgres(database, options.clock === undefined ? {} : { clock: options.clock });
}
