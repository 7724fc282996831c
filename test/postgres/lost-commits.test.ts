/** Writes whose response is lost in a crash or failover: the store finds out whether they were committed. */
import pg from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import type { Created, Store } from '../../src/store/store.ts';
import { postgres } from '../../src/store/postgres/store.ts';
import { ALICE, newTask } from '../../src/testing/store-contract/samples.ts';
import { startReplicated, SYNCHRONOUS } from './replication.ts';
import { type DatabaseProxy, proxyTo } from './proxy.ts';
import { install, type Installation, removeInstallation } from './server.ts';

let installation: Installation;

beforeAll(async () => void (installation = await install()));
afterAll(() => removeInstallation(installation));

const UNAVAILABLE = { name: 'A2AError', code: 'UNAVAILABLE', retryAfterMs: 1000 };

/** Without a commit nothing reaches the disk, so that a crash loses the write and its transaction id. */
const NO_EARLY_FLUSH = ['fsync=off', 'wal_writer_delay=10s'];

interface PendingCreate {
  readonly store: Store;
  readonly proxy: DatabaseProxy;
  readonly created: Promise<Created>;
  /** The id of the open transaction. */
  readonly xid: number;
  /** The database process that blocks it, and a function that ends the block. */
  readonly blockerPid: number;
  readonly unblock: () => Promise<unknown>;
  /** How often the store has asked for the outcome of a transaction. */
  readonly commitProbes: () => number;
}

/** Begins to create a task, and blocks it before it is stored. */
async function createBlocked(url: string): Promise<PendingCreate> {
  let sent = '';
  const proxy = await proxyTo(url, { onRequest: (bytes) => void (sent += bytes.toString('latin1')) });
  const store = postgres(proxy.url);
  onTestFinished(() => store.close());
  await store.read(ALICE, 'none');
  const admin = clientOf(url);
  const { rows } = await admin.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  await admin.query("BEGIN; INSERT INTO tandem.event VALUES ('a', 1, 0, '')");
  const created = store.create(newTask('a'));
  created.catch(() => {});
  const observer = clientOf(url);
  const xid = await vi.waitFor(async () => {
    const waiting = await observer.query<{ xid: string }>(
      "SELECT backend_xid::text AS xid FROM pg_stat_activity WHERE wait_event_type = 'Lock'",
    );
    expect(waiting.rows).toEqual([{ xid: expect.stringMatching(/^\d+$/) }]);
    return Number(waiting.rows[0]?.xid);
  });
  return {
    store,
    proxy,
    created,
    xid,
    blockerPid: rows[0]?.pid ?? 0,
    unblock: () => admin.query('ROLLBACK'),
    commitProbes: () => sent.split('pg_is_in_recovery').length - 1,
  };
}

/** A pool of one connection, which is opened when needed, and again if it is lost. */
function clientOf(url: string): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max: 1, idleTimeoutMillis: 0 });
  pool.on('error', () => {});
  onTestFinished(() => pool.end());
  return pool;
}

/** Uses the transaction id for another transaction. */
async function reuseXid(url: string, xid: number): Promise<void> {
  const client = clientOf(url);
  for (let used = 0; used < xid;) {
    const { rows } = await client.query<{ xid: string }>('SELECT pg_current_xact_id()::text AS xid');
    used = Number(rows[0]?.xid);
    expect(used).toBeLessThanOrEqual(xid);
  }
}

async function expectLost({ store, created }: PendingCreate): Promise<void> {
  await expect(created).rejects.toMatchObject(UNAVAILABLE);
  await expect(store.read(ALICE, 'a')).resolves.toBeUndefined();
  await expect(store.create(newTask('a'))).resolves.toMatchObject({ kind: 'created' });
}

test.for([
  ['belongs to another transaction there', true],
  ['is still unused there', false],
] as const)(
  'a write that never reached the standby fails after a failover, also if its transaction id %s',
  async ([, isReused]) => {
    const { primary, standby, detach, promote } = await startReplicated(installation, NO_EARLY_FLUSH);
    const pending = await createBlocked(primary.url);
    await detach();
    await primary.kill();
    pending.proxy.set('closed');
    await promote();
    if (isReused) await reuseXid(standby.url, pending.xid);
    pending.proxy.moveTo(standby.url);
    pending.proxy.set('open');

    await expectLost(pending);
    expect(pending.commitProbes()).toBe(1);
  },
);

test('a write that reached the standby succeeds, although its response was lost with the primary', async () => {
  const { primary, standby, promote } = await startReplicated(installation, NO_EARLY_FLUSH);
  const { proxy, created, unblock, store } = await createBlocked(primary.url);
  proxy.mute();
  await unblock();
  const observer = clientOf(standby.url);
  await vi.waitFor(async () =>
    expect((await observer.query('SELECT id FROM tandem.task')).rows).toEqual([{ id: 'a' }]),
  );
  await primary.kill();
  // Before its promotion the standby has the write, and cannot know yet whether it stays.
  proxy.moveTo(standby.url);
  await promote();

  await expect(created).resolves.toMatchObject({ kind: 'created', record: { id: 'a' } });
  await expect(store.read(ALICE, 'a')).resolves.toBeDefined();
});

const WAITING = "FROM pg_stat_activity WHERE wait_event = 'SyncRep'";

interface Loss {
  readonly what: string;
  /** Breaks the connection of the write while it waits for the standby; resolves when the store has probed for it. */
  readonly lose: (pending: PendingCreate, observer: pg.Pool) => Promise<unknown>;
}

const LOSSES: readonly Loss[] = [
  {
    what: 'lost its connection',
    lose: async ({ proxy, commitProbes }, observer) => {
      proxy.cut();
      await vi.waitFor(() => expect(commitProbes()).toBeGreaterThan(2));
      expect((await observer.query('SELECT FROM tandem.task')).rowCount).toBe(0);
    },
  },
  {
    what: 'was terminated',
    lose: async ({ created }, observer) => {
      await observer.query(`SELECT pg_terminate_backend(pid) ${WAITING}`);
      await vi.waitFor(async () => expect((await observer.query('SELECT FROM tandem.task')).rowCount).toBe(1));
      const isProbed = vi.waitFor(async () => expect((await observer.query(`SELECT ${WAITING}`)).rowCount).toBe(1));
      await Promise.race([isProbed, created]);
    },
  },
];

test.for(LOSSES)('a write that only the primary has and that $what is not acknowledged', async ({ lose }) => {
  const { primary, standby, detach, promote } = await startReplicated(installation, [...NO_EARLY_FLUSH, SYNCHRONOUS]);
  const pending = await createBlocked(primary.url);
  await detach();
  await pending.unblock();
  const observer = clientOf(primary.url);
  await vi.waitFor(async () => expect((await observer.query(`SELECT ${WAITING}`)).rowCount).toBe(1));
  await lose(pending, observer);
  await primary.kill();
  await promote();
  pending.proxy.moveTo(standby.url);

  await expectLost(pending);
});

test('a write that a crash of the database has undone fails, although its transaction id is reused', async () => {
  const { primary } = await startReplicated(installation, NO_EARLY_FLUSH);
  const pending = await createBlocked(primary.url);
  pending.proxy.set('closed');
  // Like the out-of-memory killer: the database then restarts all its processes.
  process.kill(pending.blockerPid, 'SIGKILL');
  await vi.waitFor(() => reuseXid(primary.url, pending.xid), 20_000);
  pending.proxy.set('open');

  await expectLost(pending);
});
