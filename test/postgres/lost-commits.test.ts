/** What becomes of a write if the database is gone before it has answered, and comes back without what it had not kept. */
import pg from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import type { Created, Store } from '../../src/store/store.ts';
import { postgres } from '../../src/store/postgres/store.ts';
import { ALICE, newTask } from '../../src/testing/store-contract/samples.ts';
import { startPair, SYNCHRONOUS } from './pair.ts';
import { type DatabaseProxy, proxyTo } from './proxy.ts';
import { install, type Place, removePlace } from './server.ts';

let place: Place;

beforeAll(async () => void (place = await install()));
afterAll(() => removePlace(place));

const CUT_OFF = { name: 'A2AError', code: 'UNAVAILABLE', retryAfterMs: 1000 };

/** What is not committed is not written by the way either, so that a crash forgets it, and its number too. */
const LAZY = ['fsync=off', 'wal_writer_delay=10s'];

interface Doubt {
  readonly store: Store;
  readonly proxy: DatabaseProxy;
  readonly created: Promise<Created>;
  /** The number of the transaction that is under way. */
  readonly number: number;
  /** The process that stands in its way, and how to end that. */
  readonly obstacle: number;
  readonly letGo: () => Promise<unknown>;
  /** How often the database was asked what became of a transaction. */
  readonly questions: () => number;
}

/** A task on its way into a database, held up before it is stored. */
async function inDoubt(url: string): Promise<Doubt> {
  let said = '';
  const proxy = await proxyTo(url, { onQuestion: (bytes) => void (said += bytes.toString('latin1')) });
  const store = postgres(proxy.url);
  onTestFinished(() => store.close());
  await store.read(ALICE, 'none');
  const admin = clientOf(url);
  const { rows } = await admin.query<{ obstacle: number }>('SELECT pg_backend_pid() AS obstacle');
  await admin.query("BEGIN; INSERT INTO tandem.event VALUES ('a', 1, 0, '')");
  const created = store.create(newTask('a'));
  created.catch(() => {});
  const observer = clientOf(url);
  const number = await vi.waitFor(async () => {
    const waiting = await observer.query<{ number: string }>(
      "SELECT backend_xid::text AS number FROM pg_stat_activity WHERE wait_event_type = 'Lock'",
    );
    expect(waiting.rows).toEqual([{ number: expect.stringMatching(/^\d+$/) }]);
    return Number(waiting.rows[0]?.number);
  });
  return {
    store,
    proxy,
    created,
    number,
    obstacle: rows[0]?.obstacle ?? 0,
    letGo: () => admin.query('ROLLBACK'),
    questions: () => said.split('pg_is_in_recovery').length - 1,
  };
}

/** One connection that is made when it is needed, and made again if it is lost. */
function clientOf(url: string): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max: 1, idleTimeoutMillis: 0 });
  pool.on('error', () => {});
  onTestFinished(() => pool.end());
  return pool;
}

/** Somebody else has this number now, and has done what he wanted to do. */
async function giveAway(url: string, number: number): Promise<void> {
  const client = clientOf(url);
  for (let given = 0; given < number;) {
    const { rows } = await client.query<{ number: string }>('SELECT pg_current_xact_id()::text AS number');
    given = Number(rows[0]?.number);
    expect(given).toBeLessThanOrEqual(number);
  }
}

async function expectLost({ store, created }: Doubt): Promise<void> {
  await expect(created).rejects.toMatchObject(CUT_OFF);
  await expect(store.read(ALICE, 'a')).resolves.toBeUndefined();
  await expect(store.create(newTask('a'))).resolves.toMatchObject({ kind: 'created' });
}

test.for([
  ["is somebody else's there", true],
  ['is not given yet there', false],
] as const)('a write that a standby has never got is lost, also if its number %s', async ([, isGiven]) => {
  const { primary, standby, part, promote } = await startPair(place, LAZY);
  const doubt = await inDoubt(primary.url);
  await part();
  await primary.kill();
  doubt.proxy.set('closed');
  await promote();
  if (isGiven) await giveAway(standby.url, doubt.number);
  doubt.proxy.moveTo(standby.url);
  doubt.proxy.set('open');

  await expectLost(doubt);
  expect(doubt.questions()).toBe(1);
});

test('a write that a standby has got is there, although the answer was lost with the primary', async () => {
  const { primary, standby, promote } = await startPair(place, LAZY);
  const { proxy, created, letGo, store } = await inDoubt(primary.url);
  proxy.mute();
  await letGo();
  const reader = clientOf(standby.url);
  await vi.waitFor(async () => expect((await reader.query('SELECT id FROM tandem.task')).rows).toEqual([{ id: 'a' }]));
  await primary.kill();
  // Before it is promoted it knows of the write, and cannot say yet whether that stays.
  proxy.moveTo(standby.url);
  await promote();

  await expect(created).resolves.toMatchObject({ kind: 'created', record: { id: 'a' } });
  await expect(store.read(ALICE, 'a')).resolves.toBeDefined();
});

const WAITING = "FROM pg_stat_activity WHERE wait_event = 'SyncRep'";

interface Loss {
  readonly what: string;
  /** How the write loses its connection while it waits for the standby; resolves when somebody has asked for it. */
  readonly lose: (doubt: Doubt, reader: pg.Pool) => Promise<unknown>;
}

const LOSSES: readonly Loss[] = [
  {
    what: 'was cut off from it',
    lose: async ({ proxy, questions }, reader) => {
      proxy.cut();
      await vi.waitFor(() => expect(questions()).toBeGreaterThan(2));
      expect((await reader.query('SELECT FROM tandem.task')).rowCount).toBe(0);
    },
  },
  {
    what: 'was ended there by somebody',
    lose: async ({ created }, reader) => {
      await reader.query(`SELECT pg_terminate_backend(pid) ${WAITING}`);
      await vi.waitFor(async () => expect((await reader.query('SELECT FROM tandem.task')).rowCount).toBe(1));
      const isAsked = vi.waitFor(async () => expect((await reader.query(`SELECT ${WAITING}`)).rowCount).toBe(1));
      await Promise.race([isAsked, created]);
    },
  },
];

test.for(LOSSES)('a write that only the primary has got and that $what is not told of as done', async ({ lose }) => {
  const { primary, standby, part, promote } = await startPair(place, [...LAZY, SYNCHRONOUS]);
  const doubt = await inDoubt(primary.url);
  await part();
  await doubt.letGo();
  const reader = clientOf(primary.url);
  await vi.waitFor(async () => expect((await reader.query(`SELECT ${WAITING}`)).rowCount).toBe(1));
  await lose(doubt, reader);
  await primary.kill();
  await promote();
  doubt.proxy.moveTo(standby.url);

  await expectLost(doubt);
});

test('a write that a crash of the database has undone is lost, although its number is given again', async () => {
  const { primary } = await startPair(place, LAZY);
  const doubt = await inDoubt(primary.url);
  doubt.proxy.set('closed');
  // As a machine does that runs out of memory: the database then begins anew with all its processes.
  process.kill(doubt.obstacle, 'SIGKILL');
  await vi.waitFor(() => giveAway(primary.url, doubt.number), 20_000);
  doubt.proxy.set('open');

  await expectLost(doubt);
});
