/** Calls between agents: the rows that claims read, hints, and concurrent writes of parents and children. */
import type { EventEmitter } from 'node:events';
import pg from 'pg';
import { afterAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { Store } from '../../src/store/store.ts';
import { calling, createCaller, newCall } from '../../src/testing/store-contract/calls/samples.ts';
import { type Change, end, entry, event, newTask } from '../../src/testing/store-contract/samples.ts';
import { explainedStore } from './explained-store.ts';
import { TestSchema } from './schemas.ts';

const schema = new TestSchema();

beforeEach(() => schema.empty());
afterAll(() => schema.drop());

async function append(store: Store, taskId: string, change: Change): Promise<void> {
  expect(await store.append({ taskId, guard: {}, ...change })).toMatchObject({ kind: 'appended' });
}

const HOUR = 3_600_000;
const REQUEST = { node: 'node', agents: ['translator'], limit: 2, perOwner: 5000, held: [] };

test.each([
  ['before the database has statistics', false],
  ['after it was analyzed while no call waited', true],
])('a claim of calls reads few rows although thousands wait or are held, %s', async (_, isAnalyzed) => {
  const { store, reads } = explainedStore(schema, 'call');
  await createCaller(store, 'first', 'a');
  if (isAnalyzed) await schema.query(`ANALYZE "${schema.name}".call`);
  await store.create(newTask('many'));
  const make = (name: string, count: number, dueAt: number): Promise<unknown> =>
    append(store, 'many', calling(...Array.from({ length: count }, (_, i) => newCall(`${name} ${i}`, { dueAt }))));
  await make('held', 2000, 0);
  await store.heartbeat('other', HOUR);
  expect(await store.claimCalls({ ...REQUEST, node: 'other', limit: 5000 })).toHaveLength(2001);
  await make('waiting', 2000, Date.now() + HOUR);
  await make('due', 6, 1);
  await store.heartbeat('node', HOUR);

  expect(await reads(() => store.claimCalls(REQUEST))).toBeLessThan(60);
  const ids = await Promise.all([store.claimCalls(REQUEST), store.nextCall(['translator'])]);
  expect(ids[0].map(({ id }) => id)).toEqual(['due 2', 'due 3']);
});

test('other nodes learn which writes add calls or make calls due', async () => {
  const [here, there] = [schema.connect(), schema.connect()];
  const received: unknown[] = [];
  let isListening = false;
  here.watch((taskId, by, _isClaimable, _progress, callsDue) => {
    isListening = true;
    if (by === 'node') received.push([taskId, callsDue]);
  });
  await vi.waitFor(
    async () => {
      await there.append({ taskId: (await created(there)).id, guard: {}, events: [event('x')] });
      await vi.waitFor(() => expect(isListening).toBe(true), 500);
    },
    { timeout: 20_000 },
  );
  await there.create(newTask('parent'));
  const write = (taskId: string, change: object): Promise<unknown> =>
    there.append({ taskId, by: 'node', guard: {}, ...change });

  await write('parent', calling(newCall('a')));
  await there.create(newTask('child', { callId: 'a' }));
  await write('child', { events: [event('working')] });
  await write('child', { question: 'q', events: [event('asks')] });
  await write('child', end());
  await write('parent', { journal: [entry('step')] });
  await write('parent', { canceling: true });

  await vi.waitFor(() => expect(received).toHaveLength(6));
  expect(received).toEqual([
    ['parent', true],
    ['child', false],
    ['child', true],
    ['child', true],
    ['parent', false],
    ['parent', true],
  ]);
});

/** A store, and the codes of the errors that the database has returned to it. */
function observed(): { readonly store: Store; readonly codes: readonly string[] } {
  const pool = new pg.Pool({ connectionString: schema.url, max: 3, pipeline: true });
  onTestFinished(() => pool.end());
  const codes: string[] = [];
  pool.on('connect', (client) => {
    const { connection } = client as unknown as { readonly connection: EventEmitter };
    connection.on('errorMessage', ({ code }: { readonly code: string }) => codes.push(code));
  });
  return { store: schema.connect({}, pool), codes };
}

test('concurrent writes of parents and of their children do not deadlock', async () => {
  const [here, there] = [observed(), observed()];
  for (const parent of ['p', 'q']) {
    await createCaller(here.store, parent, `${parent}1`, `${parent}2`);
    for (const id of ['1', '2']) await here.store.create(newTask(`child ${parent}${id}`, { callId: parent + id }));
  }
  await schema.query(`UPDATE "${schema.name}".call SET due_at = NULL`);
  /** One transaction that concerns the calls of both parents. */
  const change = ({ store }: typeof here, parent: string, other: string): Promise<unknown> =>
    Promise.all([
      ...['1', '2'].map((id) => append(store, `child ${other}${id}`, { question: 'q' })),
      append(store, parent, { callsDue: true }),
    ]);
  // Both transactions begin before either can lock all rows that it needs.
  const client = await schema.pool.connect();
  onTestFinished(() => client.release());
  await client.query('BEGIN');
  await client.query(`SELECT FROM "${schema.name}".call WHERE id IN ('p2', 'q2') FOR UPDATE`);
  const written = Promise.all([change(here, 'p', 'q'), change(there, 'q', 'p')]);
  await vi.waitFor(async () => expect(await schema.lockWaiters()).toBe(2), { timeout: 10_000 });
  await client.query('COMMIT');
  await written;

  expect([...here.codes, ...there.codes]).toEqual([]);
});

let tasks = 0;

async function created(store: Store): Promise<{ readonly id: string }> {
  const task = newTask(`task ${++tasks}`);
  await store.create(task);
  return task;
}
