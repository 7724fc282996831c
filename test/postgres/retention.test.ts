import { afterAll, expect, test } from 'vitest';
import { fakeClock } from '../../src/testing/fake-clock.ts';
import { TestSchema } from './schemas.ts';

const schema = new TestSchema();

afterAll(() => schema.drop());

test('prune removes nodes that have sent no heartbeat for a day', async () => {
  const clock = fakeClock();
  const store = schema.connect({ clock });
  await store.heartbeat('dead', 15_000);
  clock.advance(20 * 3_600_000);
  await store.heartbeat('living', 15_000);
  clock.advance(5 * 3_600_000);
  await store.prune({ endedBefore: 0, keepEnded: 1000, eventsEndedBefore: 0, limit: 1000 });

  expect(await schema.query(`SELECT id FROM "${schema.name}".node`)).toEqual([{ id: 'living' }]);
});
