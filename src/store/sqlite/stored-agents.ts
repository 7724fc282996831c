import { Connection } from './database/connection.ts';
import { type Driver, loadDriver } from './database/driver.ts';

/** Another program may lock the file for a moment. */
const PATIENCE_MS = 250;

/**
 * Whether an existing file is a store with tasks of an agent. Another process may have the file open. Files of other programs
 * have none.
 */
export function hasTasksOf(path: string, agentId: string, driver: Driver = loadDriver()): boolean {
  const connection = new Connection(driver, path);
  try {
    connection.exec(`PRAGMA busy_timeout = ${PATIENCE_MS}`);
    return connection.get('SELECT 1 FROM task WHERE agent = ? LIMIT 1', agentId) !== undefined;
  } catch {
    // There is no such table: the file is empty or belongs to another program.
    return false;
  } finally {
    connection.close();
  }
}
