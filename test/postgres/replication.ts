import { cp, mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { expect, onTestFinished, vi } from 'vitest';
import { freePort, changeOwner, type Installation, type PostgresServer, runServer } from './server.ts';

/** A primary server and its standby. */
export interface ReplicatedPostgres {
  readonly primary: PostgresServer;
  readonly standby: PostgresServer;
  /** Waits until the standby has everything that is stored, and ends the replication. */
  detach(): Promise<void>;
  /** Makes the standby a primary. */
  promote(): Promise<void>;
}

const STANDBY = 'standby';

/** A commit then waits until it is on the standby. */
export const SYNCHRONOUS = `synchronous_standby_names=${STANDBY}`;

/** Starts both until the end of the test, with copies of the data of a server that has never run. */
export async function startReplicated(
  installation: Installation,
  settings: readonly string[],
): Promise<ReplicatedPostgres> {
  const port = await freePort();
  const primary = await runServer(installation, { data: await copyOf(installation, {}), port, settings });
  onTestFinished(() => primary.stop());
  const data = await copyOf(installation, {
    'standby.signal': '',
    'postgresql.auto.conf': `primary_conninfo = 'host=127.0.0.1 port=${port} user=postgres application_name=${STANDBY}'`,
  });
  // The standby has no standby itself.
  const standbySettings = [...settings, 'synchronous_standby_names='];
  const standby = await runServer(installation, { data, port: await freePort(), settings: standbySettings });
  onTestFinished(() => standby.stop());
  return {
    primary,
    standby,
    async detach() {
      const [position] = await query(primary, 'SELECT pg_current_wal_flush_lsn()::text');
      const hasReplayed = `SELECT pg_last_wal_replay_lsn() >= '${String(position)}'`;
      await vi.waitFor(async () => expect(await query(standby, hasReplayed)).toEqual([true]));
      await query(standby, "ALTER SYSTEM SET primary_conninfo = ''");
      await query(standby, 'SELECT pg_reload_conf()');
      await vi.waitFor(async () => expect(await query(standby, 'SELECT pid FROM pg_stat_wal_receiver')).toEqual([]));
    },
    async promote() {
      await query(standby, 'SELECT pg_promote()');
    },
  };
}

async function copyOf({ folder, data, owner }: Installation, files: Readonly<Record<string, string>>): Promise<string> {
  const copy = await mkdtemp(join(folder, 'copy-'));
  await cp(data, copy, { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(join(copy, name), text);
  await changeOwner(owner, copy, ...(await readdir(copy, { recursive: true })).map((name) => join(copy, name)));
  return copy;
}

/** The first column of the result. */
async function query({ url }: PostgresServer, sql: string): Promise<readonly unknown[]> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query<unknown[]>({ text: sql, rowMode: 'array' });
  await client.end();
  return rows.map(([first]) => first);
}
