/** Tasks in SQLite files of earlier versions, after an upgrade. */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { onTestFinished } from 'vitest';

import { silentLog } from '../../src/observe/log.ts';
import { loadDriver } from '../../src/store/sqlite/database/driver.ts';
import { sqlite } from '../../src/store/sqlite/store.ts';
import { describeUpgrades } from './behaviours.ts';
import { databasePath, WEBHOOK_ORIGIN } from './database.ts';

describeUpgrades('sqlite', async (version, clock, webhook) => {
  const folder = mkdtempSync(join(tmpdir(), 'tandem-upgrade-'));
  const file = join(folder, 'tasks.sqlite');
  copyFileSync(databasePath(version, 'sqlite'), file);
  const database = loadDriver()(file);
  database.prepare('UPDATE push_config SET config = replace(config, ?, ?)').run(WEBHOOK_ORIGIN, webhook);
  database.close();
  const store = sqlite(file, { clock, log: silentLog });
  onTestFinished(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });
  return store;
});
