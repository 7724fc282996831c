import { appendFile, cp, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { expect, vi } from 'vitest';
import { freePort, giveTo, install, type Place, type PostgresServer, removePlace, runServer } from './server.ts';

/** A server, and another one that follows it until it takes its place. */
export interface PostgresPair {
  readonly primary: PostgresServer;
  readonly standby: PostgresServer;
  /** The standby has got all that is stored, and hears nothing more. */
  part(): Promise<void>;
  /** Makes the standby a server of its own. */
  promote(): Promise<void>;
  stop(): Promise<void>;
}

const STANDBY = 'standby';

/** What is committed is then on the standby too. */
export const SYNCHRONOUS = `synchronous_standby_names=${STANDBY}`;

export async function startPair(settings: readonly string[] = []): Promise<PostgresPair> {
  const place = await install();
  const port = await freePort();
  const copy = await copyOf(place, port);
  const primary = await runServer(place, { data: place.data, port, settings });
  // Nobody follows the standby itself.
  const following = [...settings, 'synchronous_standby_names='];
  const standby = await runServer(place, { data: copy, port: await freePort(), settings: following });
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
    async stop() {
      await standby.stop();
      await primary.stop();
      await removePlace(place);
    },
  };
}

/** The data of a server that has never run, for one that is to follow it. */
async function copyOf({ folder, data, owner }: Place, port: number): Promise<string> {
  const copy = join(folder, 'copy');
  await cp(data, copy, { recursive: true });
  await writeFile(join(copy, 'standby.signal'), '');
  const source = `host=127.0.0.1 port=${port} user=postgres application_name=${STANDBY}`;
  await appendFile(join(copy, 'postgresql.auto.conf'), `primary_conninfo = '${source}'\n`);
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
