import { cp, mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { expect, onTestFinished, vi } from 'vitest';
import { freePort, giveTo, type Place, type PostgresServer, runServer } from './server.ts';

/** A server, and another one that follows it until it takes its place. */
export interface PostgresPair {
  readonly primary: PostgresServer;
  readonly standby: PostgresServer;
  /** The standby has got all that is stored, and hears nothing more. */
  part(): Promise<void>;
  /** Makes the standby a server of its own. */
  promote(): Promise<void>;
}

const STANDBY = 'standby';

/** What is committed is then on the standby too. */
export const SYNCHRONOUS = `synchronous_standby_names=${STANDBY}`;

/** Both live as long as their test, with copies of the data of a server that has never run. */
export async function startPair(place: Place, settings: readonly string[]): Promise<PostgresPair> {
  const port = await freePort();
  const primary = await runServer(place, { data: await copyOf(place, {}), port, settings });
  onTestFinished(() => primary.stop());
  const data = await copyOf(place, {
    'standby.signal': '',
    'postgresql.auto.conf': `primary_conninfo = 'host=127.0.0.1 port=${port} user=postgres application_name=${STANDBY}'`,
  });
  // Nobody follows the standby itself.
  const following = [...settings, 'synchronous_standby_names='];
  const standby = await runServer(place, { data, port: await freePort(), settings: following });
  onTestFinished(() => standby.stop());
  return {
    primary,
    standby,
    async part() {
      const [end] = await tell(primary, 'SELECT pg_current_wal_flush_lsn()::text');
      const isThere = `SELECT pg_last_wal_replay_lsn() >= '${String(end)}'`;
      await vi.waitFor(async () => expect(await tell(standby, isThere)).toEqual([true]));
      await tell(standby, "ALTER SYSTEM SET primary_conninfo = ''");
      await tell(standby, 'SELECT pg_reload_conf()');
      await vi.waitFor(async () => expect(await tell(standby, 'SELECT pid FROM pg_stat_wal_receiver')).toEqual([]));
    },
    async promote() {
      await tell(standby, 'SELECT pg_promote()');
    },
  };
}

async function copyOf({ folder, data, owner }: Place, files: Readonly<Record<string, string>>): Promise<string> {
  const copy = await mkdtemp(join(folder, 'copy-'));
  await cp(data, copy, { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(join(copy, name), text);
  await giveTo(owner, copy, ...(await readdir(copy, { recursive: true })).map((name) => join(copy, name)));
  return copy;
}

/** What came of it, in its first column. */
async function tell({ url }: PostgresServer, sql: string): Promise<readonly unknown[]> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query<unknown[]>({ text: sql, rowMode: 'array' });
  await client.end();
  return rows.map(([first]) => first);
}
