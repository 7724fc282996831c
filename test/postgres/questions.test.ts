/** Readers who ask in the same moment share a connection, and each gets what he asked for. */
import { afterAll, beforeEach, expect, test } from 'vitest';
import { ALICE, newTask } from '../store/sqlite-driver.ts';
import { TestSchema } from './schemas.ts';

const schema = new TestSchema();

beforeEach(() => schema.empty());
afterAll(() => schema.drop());

/** Of connections that belong to nobody else: all others have no name. */
async function connections(): Promise<number> {
  const text = `SELECT count(*)::integer AS count FROM pg_stat_activity
    WHERE application_name = 'tandem-a2a' AND query LIKE '%"${schema.name}"%'`;
  return (await schema.query<{ count: number }>(text))[0]?.count ?? 0;
}

test('many at once need one connection, and all get their own answer', async () => {
  const store = schema.connect();
  const ids = Array.from({ length: 60 }, (_, i) => `t-${i}`);
  await Promise.all(ids.map((id) => store.create(newTask(id))));

  const asked = ids.map(async (id) => {
    const [task, events, journal] = await Promise.all([
      store.read(ALICE, id, { history: 0 }),
      store.events(id, 0, 10),
      store.journal(id),
    ]);
    return [task?.record.id, events.length, journal.length];
  });
  expect(await Promise.all(asked)).toEqual(ids.map((id) => [id, newTask(id).event === undefined ? 0 : 1, 0]));
  // 180 questions are three round trips; one more has made the tasks.
  expect(await connections()).toBeLessThanOrEqual(4);
});

test('who asks again is told by the same statement what is there by then', async () => {
  const store = schema.connect();
  for (let i = 0; i < 12; i += 1) {
    await store.create(newTask(`t-${i}`));
    const [task, other] = await Promise.all([store.read(ALICE, `t-${i}`, { history: 0 }), store.read(ALICE, 'nobody')]);
    expect(task?.record.id).toBe(`t-${i}`);
    expect(other).toBeUndefined();
    expect(await store.read({ ...ALICE, owner: 'bob' }, `t-${i}`, { history: 0 })).toBeUndefined();
  }
});
