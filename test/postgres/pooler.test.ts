/** The store behind a pooler in transaction mode, where all state of a session is lost after each transaction. */
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { connect } from '../../src/index.ts';
import { serve } from '../../src/node/serve.ts';
import { agent } from '../../src/agent/agent.ts';
import { postgres } from '../../src/store/postgres/store.ts';
import { storeContract } from '../../src/testing/store-contract.ts';
import { TransactionPooler } from './pooler/pooler.ts';
import { TestSchema } from './schemas.ts';

/** Fewer than there are clients, so that clients share connections. */
const SERVERS = 3;

const schema = new TestSchema();
let pooler: TransactionPooler;
let pool: pg.Pool;

beforeAll(async () => {
  pooler = await TransactionPooler.start(schema.url, SERVERS);
  pool = new pg.Pool({ connectionString: pooler.url, max: 8, idleTimeoutMillis: 0, pipeline: true });
});

afterAll(async () => {
  await pool.end();
  await pooler.close();
  await schema.drop();
});

describe('the pooler of these tests', () => {
  async function clients(): Promise<readonly [pg.Client, pg.Client]> {
    const both = [new pg.Client(pooler.url), new pg.Client(pooler.url)] as const;
    for (const client of both) {
      await client.connect();
      onTestFinished(() => client.end());
    }
    return both;
  }

  test('does not keep prepared statements of a client', async () => {
    const [one, other] = await clients();
    const named = { name: `named-${Math.random()}`, text: 'SELECT 1' };
    await one.query(named);
    const failed: unknown[] = [];
    for (let i = 0; i < 2 * SERVERS; i++) {
      // Alternates one and two queries, so that servers used in turn do not return to the same client each time.
      for (let n = 0; n <= i % 2; n++) await other.query('SELECT 2');
      await one.query(named).catch((error: unknown) => failed.push(error));
    }

    expect(failed).not.toEqual([]);
    expect(failed[0]).toMatchObject({ code: '26000' });
  });

  test('does not deliver notifications to the client that listened', async () => {
    const [one, other] = await clients();
    const received: unknown[] = [];
    one.on('notification', (notification) => received.push(notification));
    await one.query('LISTEN here');
    await other.query("SELECT pg_notify('here', 'a')");
    await other.query('UNLISTEN *');

    expect(received).toEqual([]);
  });

  test('rejects settings for a whole connection', async () => {
    const client = new pg.Client({ connectionString: pooler.url, lock_timeout: 5000 });

    await expect(client.connect()).rejects.toThrow('unsupported startup parameter: lock_timeout');
  });
});

describe('the store contract behind a pooler', () => {
  storeContract({
    // One of the randomised tests is enough: all of them run without a pooler.
    test: (name, run) => (/seed [1-9]/.test(name) ? undefined : test(name, run)),
    open: async ({ clock }) => {
      await schema.empty();
      return postgres(pool, { schema: schema.name, clock });
    },
    reopen: async (_closed, { clock }) => postgres(pool, { schema: schema.name, clock }),
  });

  test('was tested with clients that changed connections', () => {
    expect(pooler.clients).toBeGreaterThan(SERVERS);
    expect(pooler.moves).toBeGreaterThan(100);
  });
});

test('a node without notifications streams the task of another node by polling', async () => {
  const counter = agent({
    name: 'Counter',
    description: 'Counts to three, with pauses.',
    async *run({ sleep }) {
      for (let i = 1; i <= 3; i++) {
        yield `${i} `;
        await sleep(300);
      }
    },
  });
  const at = (role: 'web' | 'worker'): Promise<Awaited<ReturnType<typeof serve>>> => {
    const store = postgres(pooler.url, { schema: schema.name, connections: 4 });
    const log = { info: () => {}, warn: () => {}, error: () => {} };
    onTestFinished(() => store.close());
    return serve(counter, { store, role, port: 0, log });
  };
  const [web, worker] = [await at('web'), await at('worker')];
  onTestFinished(async () => {
    await web.close();
    await worker.close();
  });
  const client = await connect(web.url);
  let text = '';
  for await (const event of client.stream('go')) if (event.type === 'artifact') text += event.text;

  expect(text).toBe('1 2 3 ');
});
